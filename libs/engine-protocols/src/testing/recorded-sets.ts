import { keyHex, unpackKeys } from '@baton/kv';
import type { Tier } from '@baton/kv';
import type { EngineCacheSink } from '../events/key-output.ts';

/**
 * A sink that keeps the sets it is told, and complains when it is told twice what it knows or to take away what it
 * does not.
 */
export class RecordedSets implements EngineCacheSink {
  readonly problems: string[] = [];
  readonly calls: string[] = [];
  readonly #sets = new Map<string, Set<string>>();

  store(tier: Tier, keys: Uint8Array, resumePoints: boolean): void {
    this.calls.push(`store ${tier} ${keys.length / 16}`);
    const set = this.#set(tier, resumePoints);
    for (const key of unpackKeys(keys).map(keyHex)) {
      if (set.has(key)) this.problems.push(`${key} was stored twice in tier ${tier}`);
      set.add(key);
    }
  }

  remove(tier: Tier, keys: Uint8Array, resumePoints: boolean): void {
    this.calls.push(`remove ${tier} ${keys.length / 16}`);
    const set = this.#set(tier, resumePoints);
    for (const key of unpackKeys(keys).map(keyHex)) {
      if (!set.delete(key)) this.problems.push(`${key} was not in tier ${tier}`);
    }
  }

  clear(tier: Tier, resumePoints: boolean): void {
    this.calls.push(`clear ${tier}${resumePoints ? ' resume points' : ''}`);
    this.#set(tier, resumePoints).clear();
  }

  /** Hex keys, sorted. */
  held(tier: Tier, resumePoints = false): string[] {
    return [...this.#set(tier, resumePoints)].sort();
  }

  #set(tier: Tier, resumePoints: boolean): Set<string> {
    const name = `${tier} ${resumePoints}`;
    const set = this.#sets.get(name) ?? new Set();
    this.#sets.set(name, set);
    return set;
  }
}
