import { keyHex, Tier, tiers, unpackKeys } from '@baton/kv';
import type { HeldRun, RankMatch } from '../match.ts';
import type { KvOp } from '../segment-index.ts';

type Sets = Map<string, Set<string>>;

export interface NaiveMatch {
  segments: number;
  knownSegments: number;
  ranks: RankMatch[];
  runs: HeldRun[];
}

/** The index written down as plainly as possible: a Set of hex keys for each holding of each rank. */
export class NaiveIndex {
  readonly #sets: Sets = new Map();
  readonly #aside = new Map<string, Sets>();
  readonly #hybrid = new Set<string>();

  apply(workerId: string, op: KvOp): void {
    change(this.#sets, workerId, op);
  }

  applyAside(workerId: string, op: KvOp): void {
    const aside = this.#aside.get(workerId) ?? new Map<string, Set<string>>();
    this.#aside.set(workerId, aside);
    if (op.kind === 'store') change(aside, workerId, op);
  }

  swapIn(workerId: string): void {
    this.#forget(workerId);
    for (const [name, set] of this.#aside.get(workerId) ?? []) this.#sets.set(name, set);
    this.#aside.delete(workerId);
  }

  discardAside(workerId: string): void {
    this.#aside.delete(workerId);
  }

  setHybrid(workerId: string, isHybrid: boolean): void {
    if (isHybrid) this.#hybrid.add(workerId);
    else this.#hybrid.delete(workerId);
  }

  dropWorker(workerId: string): void {
    this.#forget(workerId);
    this.#aside.delete(workerId);
    this.#hybrid.delete(workerId);
  }

  dropRank(workerId: string, rank: number): void {
    for (const sets of [this.#sets, this.#aside.get(workerId) ?? new Map<string, never>()]) {
      for (const name of [...sets.keys()]) {
        if (name.startsWith(`${workerId}/${rank}/`)) sets.delete(name);
      }
    }
  }

  held(workerId: string, rank: number, tier: number, holding = 'kv'): string[] {
    return [...(this.#sets.get(nameOf(workerId, rank, tier, holding)) ?? [])].sort();
  }

  replicas(): number {
    return [...this.#sets.values()].reduce((sum, set) => sum + set.size, 0);
  }

  match(keys: Uint8Array): NaiveMatch {
    const hex = unpackKeys(keys).map(keyHex);
    const all = [...this.#sets.entries()];
    const gap = hex.findIndex((key) => !all.some(([, set]) => set.has(key)));
    const known = gap < 0 ? hex : hex.slice(0, gap);
    const ranks: RankMatch[] = [];
    const runs: HeldRun[] = [];
    const names = new Set(all.map(([name]) => name.split('/').slice(0, 2).join('/')));
    for (const name of [...names].sort()) {
      const [workerId = '', number = '0'] = name.split('/');
      const rank = Number(number);
      const holds = (key: string, tier: Tier, holding: string): boolean =>
        this.#sets.get(nameOf(workerId, rank, tier, holding))?.has(key) ?? false;
      if (
        !known.some((key) =>
          tiers.some((t) => holds(key, t, 'kv') || holds(key, t, 'resumePoints')),
        )
      ) {
        continue;
      }
      const walked = this.#walk(known, holds, this.#hybrid.has(workerId));
      ranks.push({ workerId, rank, ...walked });
      for (const tier of tiers) {
        runs.push(
          ...runsOf(
            known.map((key) => holds(key, tier, 'kv')),
            { workerId, rank, tier },
          ),
        );
      }
    }
    return { segments: hex.length, knownSegments: known.length, ranks, runs };
  }

  /** Segment by segment, as long as the next one is held. */
  #walk(
    known: string[],
    holds: (key: string, tier: Tier, holding: string) => boolean,
    isHybrid: boolean,
  ): Omit<RankMatch, 'workerId' | 'rank'> {
    const result = { hbmSegments: 0, memorySegments: 0, localSegments: 0 };
    let hbm = 0;
    let memory = 0;
    let local = 0;
    known.forEach((key, i) => {
      const canResume = (allowed: readonly Tier[]): boolean =>
        !isHybrid || allowed.some((tier) => holds(key, tier, 'resumePoints'));
      if (local === i && tiers.some((tier) => holds(key, tier, 'kv'))) {
        local = i + 1;
        if (canResume(tiers)) result.localSegments = local;
      }
      if (hbm === i && holds(key, Tier.HBM, 'kv')) {
        hbm = memory = i + 1;
        if (canResume([Tier.HBM])) result.hbmSegments = result.memorySegments = hbm;
      } else if (memory === i && holds(key, Tier.DRAM, 'kv')) {
        memory = i + 1;
        if (canResume([Tier.DRAM])) result.memorySegments = memory;
      }
    });
    return result;
  }

  #forget(workerId: string): void {
    for (const name of [...this.#sets.keys()]) {
      if (name.startsWith(`${workerId}/`)) this.#sets.delete(name);
    }
  }
}

function change(sets: Sets, workerId: string, op: KvOp): void {
  const name = nameOf(workerId, op.rank, op.tier, op.holding ?? 'kv');
  const set = sets.get(name) ?? new Set<string>();
  sets.set(name, set);
  if (op.kind === 'clear') set.clear();
  for (const hex of unpackKeys(op.keys).map(keyHex)) {
    if (op.kind === 'store') set.add(hex);
    else set.delete(hex);
  }
}

function nameOf(workerId: string, rank: number, tier: number, holding: string): string {
  return `${workerId}/${rank}/${tier}/${holding}`;
}

function runsOf(held: boolean[], of: Omit<HeldRun, 'first' | 'count'>): HeldRun[] {
  const runs: HeldRun[] = [];
  held.forEach((has, i) => {
    if (!has) return;
    const last = runs.at(-1);
    if (last !== undefined && last.first + last.count === i) last.count += 1;
    else runs.push({ ...of, first: i, count: 1 });
  });
  return runs;
}
