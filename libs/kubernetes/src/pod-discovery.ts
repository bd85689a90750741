import type { ApiFault } from './api-fault.ts';
import { ClusterAccessSource } from './cluster-access.ts';
import { defaultTiming, PodFeed, type FeedTiming } from './pod-feed.ts';
import {
  engineKey,
  podEngines,
  type PodEngine,
  type PodRole,
  type PodVerdict,
} from './pod-engines.ts';

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
  /** A pod that changed has its old engine among those that are gone and its new one among those that were found. */
  onEngines: (change: EnginesChange) => void;
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

export interface EnginesChange {
  gone: GoneEngine[];
  found: PodEngine[];
  /** They get nothing new until their pods are ready again, and are the same engines then. */
  paused: GoneEngine[];
  resumed: PodEngine[];
}

export interface PodDiscoveryState {
  /** `starting` until pods were listed, `away` while nothing is heard of them; engines stay as they were. */
  state: 'starting' | 'watching' | 'away';
  problem: string | undefined;
  namespace: string | undefined;
  /** That can be sent to. */
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
  /** Those of `engines` whose pods are not ready any more. */
  #paused = new Set<string>();
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
      engines: this.#engines.size - this.#paused.size,
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
    const before = this.#engines;
    const wasPaused = this.#paused;
    const engines = new Map<string, PodEngine>();
    const paused = new Set<string>();
    const unused = new Map<string, { pod: string; why: string }>();
    const judged = new Set<string>();
    for (const [uid, verdict, pod] of this.#verdicts()) {
      judged.add(uid);
      const why = 'why' in verdict ? verdict.why : verdict.unready;
      if (why !== undefined) unused.set(uid, { pod, why });
      for (const engine of 'why' in verdict ? [] : verdict.engines) {
        const key = engineKey(engine);
        // One whose pod was never ready is nothing yet.
        if (why !== undefined && !before.has(key)) continue;
        engines.set(key, engine);
        if (why !== undefined) paused.add(key);
      }
    }
    this.#engines = engines;
    this.#paused = paused;
    this.#unused = unused;
    const whyOf = ({ uid }: PodEngine): string =>
      unused.get(uid)?.why ?? (judged.has(uid) ? CHANGED : NOT_LISTED);
    const change: EnginesChange = { gone: [], found: [], paused: [], resumed: [] };
    for (const [key, engine] of engines) {
      if (!before.has(key)) change.found.push(engine);
      else if (paused.has(key) && !wasPaused.has(key)) {
        change.paused.push({ engine, why: whyOf(engine) });
      } else if (wasPaused.has(key) && !paused.has(key)) change.resumed.push(engine);
    }
    for (const [key, engine] of before) {
      if (!engines.has(key)) change.gone.push({ engine, why: whyOf(engine) });
    }
    if (Object.values(change).some(({ length }) => length > 0)) this.#options.onEngines(change);
  }

  /** Of each pod once. */
  *#verdicts(): Generator<[uid: string, PodVerdict, name: string]> {
    const judged = new Set<string>();
    for (const { role, feed } of this.#feeds) {
      for (const [uid, pod] of feed.pods) {
        if (judged.has(uid)) continue;
        judged.add(uid);
        yield [uid, podEngines(pod, role, this.#options.port), pod.metadata.name];
      }
    }
  }
}
