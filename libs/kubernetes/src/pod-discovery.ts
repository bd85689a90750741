import type { ApiFault } from './api-fault.ts';
import { ClusterAccessSource } from './cluster-access.ts';
import { defaultTiming, PodFeed, type FeedTiming } from './pod-feed.ts';
import { podEngines, type PodEngine, type PodRole } from './pod-engines.ts';

export interface PodSelectors {
  /** Whose pods; default: that of the kubeconfig's context, or of this process's pod. */
  namespace?: string | undefined;
  /** Label selectors such as `app=vllm`: pods that do whole requests unless a label says otherwise … */
  selector?: string | undefined;
  /** … and those of one role. */
  prefillSelector?: string | undefined;
  decodeSelector?: string | undefined;
  /** Where engines serve HTTP: a number, or the name of a container port. */
  port: number | string;
}

export interface PodDiscoveryOptions extends PodSelectors {
  /** Engines that came and went. A pod that changed has its old engine in the one and its new one in the other. */
  onEngines: (change: { gone: GoneEngine[]; found: PodEngine[] }) => void;
  /** Once when pods can no longer be heard of, or for another reason than before, and once when they can again. */
  onProblem: (problem: string | undefined) => void;
  signal: AbortSignal;
  timing?: Partial<FeedTiming>;
}

/** An engine that gets nothing new, and why. */
export interface GoneEngine {
  engine: PodEngine;
  why: string;
}

export interface PodDiscoveryState {
  /** `starting` until pods were listed, `away` while nothing is heard of them; engines stay as they were. */
  state: 'starting' | 'watching' | 'away';
  problem: string | undefined;
  namespace: string | undefined;
  engines: number;
  /** Pods that match and get nothing. */
  unused: { pod: string; why: string }[];
}

const CHANGED = 'its address, port or role is another';
const NOT_LISTED = 'it is gone, or its labels match no more';

/** Engines in the pods of one namespace, kept up to date. */
export class PodDiscovery {
  readonly #options: PodDiscoveryOptions;
  /** In the order in which they decide on the role of a pod that several of them match. */
  readonly #feeds: { role: PodRole | undefined; feed: PodFeed }[];
  #engines = new Map<string, PodEngine>();
  #unused = new Map<string, { pod: string; why: string }>();
  #problem: ApiFault | undefined;
  readonly #running: Promise<unknown>;

  constructor(options: PodDiscoveryOptions) {
    this.#options = options;
    const { prefillSelector, decodeSelector, selector, namespace, signal } = options;
    const timing = { ...defaultTiming, ...options.timing };
    const shared = { access: new ClusterAccessSource(), namespace, timing, signal };
    const roles = [
      { role: 'prefill', selector: prefillSelector },
      { role: 'decode', selector: decodeSelector },
      { role: undefined, selector },
    ] as const;
    this.#feeds = roles.flatMap(({ role, selector: chosen }) => {
      if (chosen === undefined) return [];
      const onChange = (): void => this.#changed();
      return { role, feed: new PodFeed({ ...shared, selector: chosen, onChange }) };
    });
    this.#running = Promise.all(this.#feeds.map(({ feed }) => feed.run()));
  }

  /** When it has stopped, after the signal was aborted. */
  ended(): Promise<unknown> {
    return this.#running;
  }

  get state(): PodDiscoveryState {
    const isListed = this.#feeds.every(({ feed }) => feed.isListed);
    return {
      state: this.#problem !== undefined ? 'away' : isListed ? 'watching' : 'starting',
      problem: this.#problem?.message,
      namespace: this.#feeds[0]?.feed.namespace,
      engines: this.#engines.size,
      unused: [...this.#unused.values()],
    };
  }

  #changed(): void {
    const { signal, onProblem } = this.#options;
    if (signal.aborted) return;
    this.#judge();
    const before = this.#problem;
    this.#problem = this.#feeds.find(({ feed }) => feed.problem !== undefined)?.feed.problem;
    const isNews = (before === undefined) !== (this.#problem === undefined);
    if (isNews || before?.status !== this.#problem?.status) onProblem(this.#problem?.message);
  }

  /** All pods anew, since what one selector finds may change the role of what another one found. */
  #judge(): void {
    const engines = new Map<string, PodEngine>();
    const unused = new Map<string, { pod: string; why: string }>();
    const judged = new Set<string>();
    for (const { role, feed } of this.#feeds) {
      for (const [uid, pod] of feed.pods) {
        if (judged.has(uid)) continue;
        judged.add(uid);
        const verdict = podEngines(pod, role, this.#options.port);
        if ('why' in verdict) unused.set(uid, { pod: pod.metadata.name, why: verdict.why });
        else for (const engine of verdict.engines) engines.set(keyOf(engine), engine);
      }
    }
    const before = this.#engines;
    this.#engines = engines;
    this.#unused = unused;
    const found = [...engines].flatMap(([key, engine]) => (before.has(key) ? [] : [engine]));
    const gone = [...before].flatMap(([key, engine]) => {
      if (engines.has(key)) return [];
      const fallback = judged.has(engine.uid) ? CHANGED : NOT_LISTED;
      return [{ engine, why: unused.get(engine.uid)?.why ?? fallback }];
    });
    if (found.length + gone.length > 0) this.#options.onEngines({ gone, found });
  }
}

function keyOf({ uid, url, role }: PodEngine): string {
  return [uid, url, role].join(' ');
}
