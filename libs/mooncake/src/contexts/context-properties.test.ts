import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cleared, FollowedEngines, removed, stored } from '../testing/followed-engines.ts';

const BLOCK = 2;
const media = ['GPU', 'CPU', 'DISK'] as const;

/** Blocks of a small tree: block n comes after block (n - 1) / 2, so that prompts share beginnings. */
const BLOCKS = 15;
const parentOf = (block: number): number => Math.floor((block - 1) / 2);
const tokensOf = (block: number): number[] => [block, block + 100];

function pathTo(block: number): number[] {
  return block === 0 ? [0] : [...pathTo(parentOf(block)), block];
}

interface Change {
  kind: 'store' | 'remove';
  publisher: number;
  block: number;
  medium: number;
}

type Step = Change | { kind: 'clear' | 'reset' | 'rejoin' | 'sweep'; publisher: number };

const publisher = fc.nat({ max: 2 });
const block = fc.nat({ max: BLOCKS - 1 });
const change = fc.record({ publisher, block, medium: fc.nat({ max: 2 }) });
const steps = fc.array(
  fc.oneof(
    { weight: 12, arbitrary: change.map((fields): Step => ({ kind: 'store', ...fields })) },
    { weight: 5, arbitrary: change.map((fields): Step => ({ kind: 'remove', ...fields })) },
    { weight: 1, arbitrary: publisher.map((p): Step => ({ kind: 'clear', publisher: p })) },
    { weight: 1, arbitrary: publisher.map((p): Step => ({ kind: 'reset', publisher: p })) },
    { weight: 1, arbitrary: publisher.map((p): Step => ({ kind: 'rejoin', publisher: p })) },
    { weight: 2, arbitrary: publisher.map((p): Step => ({ kind: 'sweep', publisher: p })) },
  ),
  { maxLength: 80 },
);

const endpointOf = (who: number): string => `tcp://h:${who + 1}`;

/** Copies of each block by publisher and tier, counted. */
class NaiveContext {
  readonly #copies = [0, 1, 2].map(() => media.map(() => new Map<number, number>()));

  apply(step: Step): void {
    const tiers = this.#copies[step.publisher] ?? [];
    if (step.kind === 'clear') tiers[0]?.clear();
    else if ('block' in step) {
      const tier = tiers[step.medium] as Map<number, number>;
      const copies = tier.get(step.block) ?? 0;
      tier.set(step.block, Math.max(0, copies + (step.kind === 'store' ? 1 : -1)));
    } else if (step.kind !== 'sweep') for (const tier of tiers) tier.clear();
  }

  /** One cursor that goes down from tier to tier. */
  match(who: number, path: readonly number[]): object {
    const reached: number[] = [];
    let at = 0;
    for (let tier = 0; tier < media.length; tier += 1) {
      while (at < path.length && this.#holds(who, tier, path[at] as number)) at += 1;
      reached.push(at * BLOCK);
    }
    const [gpu, cpu, disk] = reached;
    return { gpu, cpu, disk };
  }

  get isEmpty(): boolean {
    return this.#copies.flat().every((tier) => [...tier.values()].every((copies) => copies === 0));
  }

  #holds(who: number, tier: number, which: number): boolean {
    return (this.#copies[who]?.[tier]?.get(which) ?? 0) > 0;
  }
}

class Fleet {
  readonly engines = new FollowedEngines();

  constructor() {
    for (const who of [0, 1, 2]) this.register(who);
  }

  register(who: number): void {
    const { status } = this.engines.post('/register', {
      ...{ endpoint: endpointOf(who), modelname: 'm', instance_id: who, block_size: BLOCK },
    });
    expect(status).toBe(200);
  }

  unregister(who: number): void {
    expect(this.engines.post('/unregister', { instance_id: who }).status).toBe(200);
  }

  apply(step: Step): void {
    const endpoint = endpointOf(step.publisher);
    if (step.kind === 'clear') this.engines.publish(endpoint, cleared);
    else if (step.kind === 'reset') this.engines.source(endpoint).onReset();
    else if (step.kind === 'sweep') this.engines.api.sweep(2);
    else if (step.kind === 'rejoin') {
      this.unregister(step.publisher);
      this.register(step.publisher);
    } else if ('block' in step) this.#change(endpoint, step);
  }

  #change(endpoint: string, step: Change): void {
    const medium = media[step.medium] as string;
    // Each publisher has names of its own for the same blocks.
    const name = (which: number): bigint => BigInt(which + 1 + step.publisher * 1000);
    const hashes = [name(step.block)];
    if (step.kind === 'remove') return this.engines.publish(endpoint, removed(hashes, medium));
    // An engine knows the way to a block; here it says so, in a tier that does not count.
    const path = pathTo(step.block);
    this.engines.publish(
      endpoint,
      stored({ hashes: path.map(name), tokens: path.flatMap(tokensOf), blockSize: BLOCK, medium }),
      ...path.slice(0, -1).map((which) => removed([name(which)], medium)),
    );
  }

  query(path: readonly number[]): Record<string, { rank_matches: Record<string, object> }> {
    const query = { model: 'm', token_ids: path.flatMap(tokensOf) };
    return this.engines.post('/query', query).body['instances'] as never;
  }

  get blocks(): number {
    while (this.engines.api.isSweeping) this.engines.api.sweep(3);
    const { body } = this.engines.get('/global_view');
    const [context] = body['contexts'] as { prefix_count: number }[];
    return context?.prefix_count ?? 0;
  }
}

test('a context is what its publishers hold, and nothing of it is left when they do not', () => {
  fc.assert(
    fc.property(steps, fc.array(block, { minLength: 1, maxLength: 4 }), (list, asked) => {
      const fleet = new Fleet();
      const naive = new NaiveContext();
      for (const step of list) {
        fleet.apply(step);
        naive.apply(step);
      }
      for (const which of asked) {
        const path = pathTo(which);
        const instances = fleet.query(path);
        for (const who of [0, 1, 2]) {
          const expected = { 0: naive.match(who, path) };
          expect(instances[String(who)]?.rank_matches).toEqual(expected);
        }
      }
      if (naive.isEmpty) expect(fleet.blocks).toBe(0);
      for (const who of [0, 1]) fleet.unregister(who);
      fleet.engines.source(endpointOf(2)).onReset();
      expect(fleet.blocks).toBe(0);
    }),
    { numRuns: 300 },
  );
});
