import type { WorkerBeat } from '@baton/cluster';
import type { CoreInput } from '@baton/core';
import { EngineAccess } from '@baton/engine-clients';
import { createLogger } from '@baton/service';
import { eventually } from '@baton/test-kit';
import { onTestFinished } from 'vitest';
import type { EngineSetting } from '../config.ts';
import { EngineWatch } from '../engines/engine-watch.ts';

/** A watch, and everything that it tells. */
export class Watched {
  readonly inputs: CoreInput[] = [];
  readonly lines: Record<string, unknown>[] = [];
  readonly watch: EngineWatch;
  misfit: string | undefined;
  /** Live plans that need it. */
  users = 0;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;

  constructor(setting: Partial<EngineSetting> & { url: string }) {
    const write = (line: string): void =>
      void this.lines.push(JSON.parse(line) as Record<string, unknown>);
    this.watch = new EngineWatch({
      setting: { role: 'both', ...setting },
      access: new EngineAccess(),
      intervalMs: 20,
      answerMs: 200,
      hear: (input) => this.inputs.push(input),
      misfit: () => this.misfit,
      using: () => this.users,
      log: createLogger({ name: 'test', level: 'info', destination: { write } }),
      signal: this.#stopping.signal,
    });
    this.#running = this.watch.run();
    onTestFinished(() => this.stop());
  }

  get ended(): Promise<void> {
    return this.#running;
  }

  get beats(): WorkerBeat[] {
    return this.inputs.flatMap((input) => (input.type === 'beat' ? [input.beat] : []));
  }

  get last(): WorkerBeat | undefined {
    return this.beats.at(-1);
  }

  /** Until the next beat of this state, from now on. */
  async next(state: WorkerBeat['state'] = 'ready'): Promise<WorkerBeat> {
    const from = this.beats.length;
    return this.beatWith((beat) => beat.state === state, from);
  }

  async beatWith(isWanted: (beat: WorkerBeat) => boolean, from = 0): Promise<WorkerBeat> {
    return eventually(() => {
      const found = this.beats.slice(from).find(isWanted);
      if (found === undefined) throw new Error('no such beat came');
      return found;
    });
  }

  said(event: string): Record<string, unknown>[] {
    return this.lines.filter((line) => line['event'] === event);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }
}

interface Publishing {
  eventsEndpoint: string;
  replayEndpoint: string;
}

/** What `GET /kv_event_sources` answers, of each rank. */
export function sourcesOf(...engines: Publishing[]): object {
  const bound = (endpoint: string): string => endpoint.replace('127.0.0.1', '*');
  const sources = engines.map(({ eventsEndpoint, replayEndpoint }) => ({
    ...{ enable_kv_cache_events: true, publisher: 'zmq', topic: '' },
    ...{ endpoint: bound(eventsEndpoint), replay_endpoint: bound(replayEndpoint) },
  }));
  return { ...sources };
}
