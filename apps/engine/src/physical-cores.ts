import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** Physical cores that this process may use: hyper-threads of one core slow libllama's decoding down. */
export function physicalCores(): number {
  const usable = availableParallelism();
  try {
    return Math.min(usable, countCores(readFileSync('/proc/cpuinfo', 'utf8')) || usable);
  } catch {
    // Not Linux.
    return usable;
  }
}

/** Distinct pairs of package and core in /proc/cpuinfo; 0 when it does not name them. */
export function countCores(cpuinfo: string): number {
  const cores = new Set<string>();
  for (const block of cpuinfo.split('\n\n')) {
    const field = (name: string): string | undefined =>
      new RegExp(`^${name}\\s*:\\s*(\\d+)$`, 'm').exec(block)?.[1];
    const core = field('core id');
    if (core !== undefined) cores.add(`${field('physical id') ?? '0'}/${core}`);
  }
  return cores.size;
}

/** This engine's share of the machine's cores, at least one. */
export function defaultThreads(enginesOnMachine: number): number {
  return Math.max(1, Math.floor(physicalCores() / enginesOnMachine));
}
