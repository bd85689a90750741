import { eventually } from '@baton/test-kit';
import { expect, onTestFinished } from 'vitest';
import {
  PodDiscovery,
  type PodDiscoveryOptions,
  type PodDiscoveryState,
} from '../pod-discovery.ts';

/** A discovery, and what it tells. */
export class Discovered {
  /** Engines as the changes add up. */
  readonly engines = new Map<string, string>();
  /** Pods of those that are paused. */
  readonly #paused = new Map<string, string>();
  readonly log: string[] = [];
  readonly problems: (string | undefined)[] = [];
  readonly discovery: PodDiscovery;
  readonly #stopping = new AbortController();

  readonly #isWatched: () => boolean;

  constructor(options: Partial<PodDiscoveryOptions> = {}, isWatched = () => true) {
    this.#isWatched = isWatched;
    this.discovery = new PodDiscovery({
      ...{ selector: 'app=vllm', port: 8000, signal: this.#stopping.signal },
      timing: { firstPauseMs: 10, maxPauseMs: 40, ...options.timing },
      onEngines: ({ gone, found, paused, resumed }) => {
        for (const { engine, why } of paused) {
          expect(this.engines.delete(engine.workerId)).toBe(true);
          this.#paused.set(engine.workerId, engine.uid);
          this.log.push(`! ${engine.workerId}: ${why}`);
        }
        for (const { workerId, role, url, uid } of resumed) {
          expect(this.#paused.get(workerId)).toBe(uid);
          this.#paused.delete(workerId);
          this.engines.set(workerId, `${role} ${url}`);
          this.log.push(`* ${workerId}`);
        }
        for (const { engine, why } of gone) {
          if (!this.#paused.delete(engine.workerId)) {
            expect(this.engines.get(engine.workerId)).toBe(`${engine.role} ${engine.url}`);
            this.engines.delete(engine.workerId);
          }
          this.log.push(`- ${engine.workerId}: ${why}`);
        }
        for (const engine of found) {
          expect(this.engines.has(engine.workerId)).toBe(false);
          this.engines.set(engine.workerId, `${engine.role} ${engine.url}`);
          this.log.push(`+ ${engine.workerId}`);
        }
      },
      onProblem: (problem) => this.problems.push(problem),
      ...options,
    });
    onTestFinished(() => this.stop());
  }

  get state(): PodDiscoveryState {
    return this.discovery.state;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.discovery.ended();
  }

  /** Until it has these, and a watch is open. */
  async has(...workerIds: string[]): Promise<void> {
    await eventually(() => {
      expect([...this.engines.keys()].sort()).toEqual(workerIds);
      expect(this.state.state).toBe('watching');
    });
    await eventually(this.#isWatched);
  }
}
