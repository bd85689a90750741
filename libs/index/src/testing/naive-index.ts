import { keyHex, Tier, tiers, unpackKeys } from '@baton/kv';
import type { HeldRun, Match, RankMatch } from '../match.ts';
import type { KvOp } from '../segment-index.ts';

/** The index written down as plainly as possible: a Set of hex keys for each tier of each rank. */
export class NaiveIndex {
  readonly #sets = new Map<string, Set<string>>();

  apply(workerId: string, op: KvOp): void {
    const set = this.#set(workerId, op.rank, op.tier);
    if (op.kind === 'clear') set.clear();
    for (const hex of unpackKeys(op.keys).map(keyHex)) {
      if (op.kind === 'store') set.add(hex);
      else set.delete(hex);
    }
  }

  dropWorker(workerId: string): void {
    for (const name of this.#sets.keys()) {
      if (name.startsWith(`${workerId}/`)) this.#sets.delete(name);
    }
  }

  held(workerId: string, rank: number, tier: number): string[] {
    return [...this.#set(workerId, rank, tier)].sort();
  }

  replicas(): number {
    return [...this.#sets.values()].reduce((sum, set) => sum + set.size, 0);
  }

  match(keys: Uint8Array): Match {
    const hex = unpackKeys(keys).map(keyHex);
    const all = [...this.#sets.values()];
    const gap = hex.findIndex((key) => !all.some((set) => set.has(key)));
    const known = gap < 0 ? hex : hex.slice(0, gap);
    const ranks: RankMatch[] = [];
    const runs: HeldRun[] = [];
    const names = new Set([...this.#sets.keys()].map((name) => name.replace(/\/\d+$/, '')));
    for (const name of [...names].sort()) {
      const [workerId = '', rank = '0'] = name.split('/');
      const held = (allowed: readonly Tier[]) => (key: string) =>
        allowed.some((tier) => this.#sets.get(`${name}/${tier}`)?.has(key) ?? false);
      if (!known.some(held(tiers))) continue;
      const leading = (allowed: readonly Tier[], from = 0): number => {
        const stop = known.findIndex((key, i) => i >= from && !held(allowed)(key));
        return stop < 0 ? known.length : stop;
      };
      ranks.push({
        workerId,
        rank: Number(rank),
        hbmSegments: leading([Tier.HBM]),
        memorySegments: leading([Tier.DRAM], leading([Tier.HBM])),
        localSegments: leading(tiers),
      });
      for (const tier of tiers) {
        runs.push(...runsOf(known.map(held([tier])), { workerId, rank: Number(rank), tier }));
      }
    }
    return { segments: hex.length, knownSegments: known.length, ranks, runs };
  }

  #set(workerId: string, rank: number, tier: number): Set<string> {
    const name = `${workerId}/${rank}/${tier}`;
    const set = this.#sets.get(name) ?? new Set();
    this.#sets.set(name, set);
    return set;
  }
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
