import type { RequestRun } from '../engine/request-run.ts';
import { SimWorker } from '../engine/sim-worker.ts';
import { completeOptions, type SimulationOptions } from '../fleet/options.ts';
import { requestRun } from '../fleet/request-runs.ts';
import { fleetFacts } from '../fleet/worker-facts.ts';
import { EventQueue } from '../time/event-queue.ts';
import type { TraceRequest } from '../trace/trace-line.ts';
import { LinkNetwork } from '../transfers/link-network.ts';
import { simpleCost } from './simple-cost.ts';

/** Workers with blocks of 10 tokens and nobody above them: what they did is a list of lines. */
export class WorkerRig {
  readonly queue = new EventQueue();
  readonly workers: SimWorker[];
  readonly network: LinkNetwork;
  readonly log: string[] = [];
  /** Called with each prompt that is complete here and whose answer another worker gives. */
  onPrefilled: ((run: RequestRun, nowMs: number) => void) | undefined;
  readonly #options: ReturnType<typeof completeOptions>;

  constructor(options: Partial<SimulationOptions> = {}) {
    const fleet = options.fleet ?? { aggregated: 1 };
    const base = { fleet, cost: simpleCost, hbmBlocks: 100, blockTokens: 10 };
    this.#options = completeOptions({ ...base, ...options });
    this.network = new LinkNetwork(this.queue, this.#options.linkRate);
    const say = (nowMs: number, what: string, { requestId }: RequestRun): void => {
      this.log.push(`${nowMs} ${requestId} ${what}`);
    };
    const listener: ConstructorParameters<typeof SimWorker>[3] = {
      onAdmitted: () => undefined,
      onProgress: () => undefined,
      onPrefilled: (worker, { run, hold }, nowMs) => {
        if (this.onPrefilled === undefined) say(nowMs, 'prefilled', run);
        else this.onPrefilled(run, nowMs);
        if (hold !== undefined) worker.cache.release(hold);
      },
      onFirstToken: (run, nowMs) => {
        say(nowMs, 'first token', run);
        run.firstTokenAtMs = nowMs;
      },
      onFinished: (_worker, run, nowMs) => say(nowMs, 'finished', run),
    };
    this.workers = fleetFacts(this.#options).map(
      (facts) => new SimWorker(facts, this.#options, this.queue, listener, () => undefined),
    );
  }

  /** @throws RangeError when there is none */
  worker(at = 0): SimWorker {
    const worker = this.workers[at];
    if (worker === undefined) throw new RangeError(`no worker ${at}`);
    return worker;
  }

  run(index: number, promptTokens: number, outputTokens: number, blocks?: number[]): RequestRun {
    const own = Array.from({ length: Math.ceil(promptTokens / 10) }, (_, i) => index * 1_000 + i);
    return this.runOf({ atMs: 0, promptTokens, outputTokens, blocks: blocks ?? own }, index);
  }

  runOf(request: TraceRequest, index: number): RequestRun {
    return requestRun(request, index, this.#options);
  }

  /** A whole request at one worker, or its prompt alone when it has no output. */
  submit(atMs: number, run: RequestRun, at = 0, outputTokens = run.outputTokens): void {
    this.queue.push(atMs, (nowMs) => {
      this.worker(at).prefill.submit(run, outputTokens, 0);
      this.worker(at).kick(nowMs);
    });
  }

  /** Until nothing happens any more. */
  settle(): void {
    while (this.queue.length > 0) this.queue.runNext();
  }
}
