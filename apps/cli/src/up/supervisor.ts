import { setTimeout as sleep } from 'node:timers/promises';
import { BatonError } from '@baton/kv';
import type { ChildService, Endpoints, ExitStatus } from './child-service.ts';
import { readLogLine } from './log-line.ts';

/**
 * What a child's end means: of an essential one everything ends, of a worker's the rest goes on; one on trial may end
 * without a word, its starter looks after it.
 */
export type Importance = 'essential' | 'worker' | 'trial';

/** What stays of a process that ended without being asked to. */
export interface Death {
  name: string;
  status: ExitStatus;
  importance: Importance;
  /** What the process itself said was wrong, if it did; of one that a signal ended only what was fatal. */
  complaint: { message: string; fatal: boolean } | undefined;
  lastLines: readonly string[];
}

/** Stopped after all others, so that what they say on leaving is heard. */
const lastToStop = 'nats-server';

/** Holds the children of `up`: knows who died, and stops them all. */
export class Supervisor {
  readonly #children = new Map<ChildService, Importance>();
  readonly #onDeath: (death: Death) => void;
  #stopping = false;

  constructor(onDeath: (death: Death) => void) {
    this.#onDeath = onDeath;
  }

  add(child: ChildService, importance: Importance): ChildService {
    this.#children.set(child, importance);
    void child.exited.then((status) => this.#tell(child, status));
    // Started while everything was being stopped.
    if (this.#stopping) child.terminate();
    return child;
  }

  /** A child on trial has proved itself. */
  promote(child: ChildService, importance: Importance): void {
    this.#children.set(child, importance);
    if (child.hasExited()) void child.exited.then((status) => this.#tell(child, status));
  }

  /** Asks all to stop; kills what is left after `graceMs` or when `atOnce` fires. */
  async stopAll(graceMs: number, atOnce: AbortSignal): Promise<void> {
    this.#stopping = true;
    const all = [...this.#children.keys()];
    const isLast = (child: ChildService): boolean => child.name === lastToStop;
    await stopGroup(
      all.filter((child) => !isLast(child)),
      graceMs,
      atOnce,
    );
    await stopGroup(all.filter(isLast), graceMs, atOnce);
  }

  #tell(child: ChildService, status: ExitStatus): void {
    const importance = this.#children.get(child);
    if (this.#stopping || importance === undefined || importance === 'trial') return;
    this.#onDeath(deathOf(child, status, importance));
  }
}

async function stopGroup(
  group: readonly ChildService[],
  graceMs: number,
  atOnce: AbortSignal,
): Promise<void> {
  const all = Promise.all(group.map((child) => child.exited));
  for (const child of group) if (!child.hasExited()) child.terminate();
  const patience = new AbortController();
  const limits = AbortSignal.any([patience.signal, atOnce]);
  const impatience = sleep(graceMs, undefined, { signal: limits }).catch(() => undefined);
  await Promise.race([all, impatience]);
  patience.abort();
  for (const child of group) if (!child.hasExited()) child.kill();
  await all;
}

function deathOf(child: ChildService, status: ExitStatus, importance: Importance): Death {
  const lastLines = child.lastLines();
  const complaints = lastLines.map(readLogLine).filter((line) => line.kind === 'notice');
  // Whom a signal ends has not said why: an earlier warning would pass for the reason.
  const last = status.signal === null ? complaints.at(-1) : undefined;
  const complaint = complaints.findLast((line) => line.fatal) ?? last;
  return { name: child.name, status, importance, lastLines, complaint };
}

/** The end of a process as a fault, in one sentence that names it. */
export function deathError(death: Death, starting: boolean): BatonError {
  const { name, status, complaint } = death;
  const how = describeExit(status);
  const why = complaint?.message ?? how;
  const message = starting
    ? `${name} could not start: ${why}`
    : `${name} ${how}${complaint === undefined ? '' : `: ${complaint.message}`}`;
  return new BatonError('child_failed', message, { details: { death } });
}

function describeExit({ code, signal }: ExitStatus): string {
  if (signal !== null) return `was ended by ${signal}`;
  return code === null ? 'could not be executed' : `ended with exit code ${code}`;
}

/** Endpoints of a child once it is ready; a fault when it ends before. */
export async function readyOrDead(child: ChildService): Promise<Endpoints> {
  const endpoints = await child.ready;
  if (endpoints !== undefined) return endpoints;
  throw deathError(deathOf(child, await child.exited, 'essential'), true);
}
