import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { isStillThere, readProcess } from './ancestors.ts';

/** The process that a file or a folder of a run belongs to. */
export interface RunOwner {
  pid: number;
  /** Tells a living process from a later one with the same id, where the platform can. */
  processStartedAt: string | undefined;
  /** Where the id means anything: folders may be shared with other machines and containers. */
  machine: string;
}

export function thisProcess(): RunOwner {
  const { pid } = process;
  return { pid, processStartedAt: readProcess(pid)?.startedAt, machine: thisMachine() };
}

/** `elsewhere`: nothing can be known of it from here. */
export function ownerState(owner: RunOwner): 'alive' | 'dead' | 'elsewhere' {
  if (owner.machine !== thisMachine()) return 'elsewhere';
  return isStillThere({ pid: owner.pid, startedAt: owner.processStartedAt }) ? 'alive' : 'dead';
}

export function isRunOwner(value: unknown): value is RunOwner {
  if (typeof value !== 'object' || value === null) return false;
  const { pid, processStartedAt, machine } = value as Partial<Record<keyof RunOwner, unknown>>;
  return (
    Number.isSafeInteger(pid) &&
    Number(pid) > 0 &&
    typeof machine === 'string' &&
    (processStartedAt === undefined || typeof processStartedAt === 'string')
  );
}

function thisMachine(): string {
  return `${hostname()} ${processNamespace()}`;
}

/** Containers of one machine have process ids of their own. */
function processNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    // Not Linux, or one that has no namespaces.
    return '';
  }
}
