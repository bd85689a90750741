import { setTimeout as sleep } from 'node:timers/promises';
import { BatonError } from '@baton/kv';
import { getJson } from '../commands/running.ts';
import type { RequestRecord } from '../render/request-line.ts';
import type { Paint } from '../render/terminal-text.ts';
import { renderTop, type TopFrame } from '../render/top-frame.ts';
import { isStillThere } from '../up/ancestors.ts';
import type { RunRecord } from '../up/run-file.ts';
import { ByteRateMeter } from './byte-rates.ts';
import { readFleet, withGone, type FleetView, type WorkerView } from './fleet-view.ts';
import { LiveTerminal } from './live-terminal.ts';

const intervalMs = 500;

export interface TopOptions {
  paint: Paint;
}

/** `baton top`: live on a terminal until q or Ctrl-C, else one snapshot. */
export async function runTop(run: RunRecord, { paint }: TopOptions): Promise<void> {
  const watch = new FleetWatch(run);
  if (!process.stdout.isTTY) {
    for (const line of renderTop(await watch.look(), paint, undefined))
      process.stdout.write(`${line}\n`);
    return;
  }
  const stop = new AbortController();
  const quit = (): void => stop.abort();
  let frame: TopFrame | undefined;
  const draw = (): void => {
    if (frame !== undefined) terminal.draw(renderTop(frame, paint, terminal.size));
  };
  const terminal = new LiveTerminal(process.stdout, process.stdin, { quit, resize: draw });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, quit);
  terminal.open();
  try {
    while (!stop.signal.aborted) {
      frame = await watch.look();
      draw();
      await sleep(intervalMs, undefined, { signal: stop.signal }).catch(() => {});
    }
  } finally {
    terminal.close();
  }
}

/** Looks at one run again and again and remembers what a single look cannot tell. */
class FleetWatch {
  readonly #run: RunRecord;
  readonly #meter = new ByteRateMeter();
  readonly #known = new Map<string, Pick<WorkerView, 'id' | 'role'>>();
  #fleet: FleetView = { workers: [], transfers: [], livePlans: 0, movedBytes: 0 };

  constructor(run: RunRecord) {
    this.#run = run;
    for (const worker of run.workers ?? []) this.#known.set(worker.id, worker);
  }

  async look(): Promise<TopFrame> {
    const { gatewayUrl, conductorUrl, tracesUrl, startedAtMs } = this.#run;
    let trouble: string | undefined;
    let requests: RequestRecord[] = [];
    try {
      const [workers, plans, answer] = await Promise.all([
        getJson(`${conductorUrl}/workers`),
        getJson(`${conductorUrl}/plans`),
        getJson(`${tracesUrl}/requests`),
      ]);
      const fleet = readFleet(workers, plans);
      for (const { id, role } of fleet.workers) this.#known.set(id, { id, role });
      this.#fleet = withGone(fleet, [...this.#known.values()]);
      ({ requests } = answer as { requests: RequestRecord[] });
    } catch (error) {
      if (!(error instanceof BatonError)) throw error;
      trouble = this.#isOver() ? 'this "npm start" has ended' : error.message;
    }
    const rates = this.#meter.measure(this.#fleet, performance.now());
    return {
      gatewayUrl,
      upMs: Date.now() - startedAtMs,
      fleet: this.#fleet,
      rates,
      requests,
      trouble,
    };
  }

  #isOver(): boolean {
    return !isStillThere({ pid: this.#run.pid, startedAt: this.#run.processStartedAt });
  }
}
