import fc from 'fast-check';
import { expect, test } from 'vitest';
import { seededRandom } from '../random.ts';
import {
  lengthKey,
  queueOrders,
  RequestQueue,
  type FleetWork,
  type QueueOrder,
  type Waiting,
} from './request-queue.ts';

type Request = Waiting<string>;

const idle: FleetWork = { ranks: 1, givenMs: 0 };

function request(value: string, changes: Partial<Request> = {}): Request {
  return {
    value,
    arrivedAtMs: 0,
    priority: 5,
    tenant: '',
    estimateMs: 100,
    estimatedAtMs: 0,
    placedByMs: 100,
    dueAtMs: Infinity,
    beginByMs: Infinity,
    ...changes,
  };
}

function queueOf(
  order: QueueOrder,
  requests: readonly Request[],
  waitBoundMs = 60_000,
): RequestQueue<string> {
  const queue = new RequestQueue<string>({ order, waitBoundMs });
  for (const one of requests) queue.add(one, idle);
  return queue;
}

/** Everybody in the order in which they are first. */
function drained(queue: RequestQueue<string>): string[] {
  const values: string[] = [];
  for (let [first] = queue.first(1); first !== undefined; [first] = queue.first(1)) {
    values.push(first.value);
    queue.remove(first, 1);
  }
  return values;
}

test.each<[QueueOrder, string[]]>([
  ['fcfs', ['long', 'urgent', 'short']],
  ['shortest', ['short', 'urgent', 'long']],
  ['deadline', ['urgent', 'short', 'long']],
])('%s: who is next', (order, expected) => {
  const queue = queueOf(order, [
    request('long', { arrivedAtMs: 1, estimateMs: 900, dueAtMs: 9_000 }),
    request('urgent', { arrivedAtMs: 2, estimateMs: 500, dueAtMs: 1_000 }),
    request('short', { arrivedAtMs: 3, estimateMs: 100, dueAtMs: 2_000 }),
  ]);
  expect(queue.first(2).map(({ value }) => value)).toEqual(expected.slice(0, 2));
  expect(drained(queue)).toEqual(expected);
  expect(queue.size).toBe(0);
});

test.each(queueOrders)('%s: of equals the first to come is first', (order) => {
  const names = Array.from({ length: 20 }, (_, i) => `r${i}`);
  expect(
    drained(
      queueOf(
        order,
        names.map((name) => request(name)),
      ),
    ),
  ).toEqual(names);
});

test('deadline: who is promised more has to begin earlier with a longer prompt; who is promised nothing is last', () => {
  const queue = queueOf('deadline', [
    request('nothing promised'),
    request('short', { estimateMs: 10, dueAtMs: 1_000 }),
    request('long', { estimateMs: 600, dueAtMs: 1_200 }),
  ]);
  expect(drained(queue)).toEqual(['long', 'short', 'nothing promised']);
});

test.each(queueOrders)('%s: less priority number is first, whatever the order', (order) => {
  const queue = queueOf(order, [
    request('ordinary', { estimateMs: 1, dueAtMs: 10 }),
    request('background', { priority: 9, estimateMs: 1, dueAtMs: 10 }),
    request('first', { priority: 0, arrivedAtMs: 5, estimateMs: 900 }),
  ]);
  expect(drained(queue)).toEqual(['first', 'ordinary', 'background']);
});

test('tenants share turns within a priority', () => {
  const many = Array.from({ length: 6 }, (_, i) => request(`a${i}`, { tenant: 'a' }));
  const queue = queueOf('shortest', [...many, request('b0', { tenant: 'b', estimateMs: 5_000 })]);
  const served: string[] = [];
  for (let i = 0; i < 3; i += 1) {
    const [first] = queue.first(1);
    if (first === undefined) break;
    served.push(first.value);
    queue.remove(first, 5_000);
  }
  expect(served).toEqual(['a0', 'a1', 'b0']);
});

test('a changed estimate changes the place; one that nobody can serve keeps what was known of it', () => {
  const [a, b, c] = [request('a'), request('b', { estimateMs: 200 }), request('c')];
  const queue = queueOf('shortest', [a, b]);
  queue.estimated(b, 50, 7);
  expect(queue.first(1)).toEqual([b]);
  expect([b.estimatedAtMs, queue.backlogMs]).toEqual([7, 150]);
  queue.estimated(b, Infinity, 8);
  expect([b.estimateMs, b.estimatedAtMs, queue.backlogMs]).toEqual([50, 8, 150]);
  queue.estimated(c, 1, 9);
  expect(queue.has(c)).toBe(false);
});

test.each(['shortest', 'deadline'] as const)('%s: a small change moves nobody', (order) => {
  const equal = { dueAtMs: 9_000, estimateMs: 1_000 };
  const [a, b] = [request('a', equal), request('b', equal)];
  const queue = queueOf(order, [a, b]);
  const [best, worse] = order === 'shortest' ? [992, 940] : [1_040, 1_060];
  queue.estimated(b, best, 1);
  expect([queue.first(1), b.estimateMs]).toEqual([[a], best]);
  queue.estimated(b, worse, 2);
  expect([queue.first(1), b.estimateMs]).toEqual([[b], worse]);
  const short = [request('c', { estimateMs: 4 }), request('d', { estimateMs: 4 })] as const;
  const others = queueOf('shortest', short);
  others.estimated(short[0], 8, 1);
  expect(others.first(1)).toEqual([short[0]]);
});

test('who is deferred is nobody’s next, but waits, and comes back when its time or what it waits for comes', () => {
  const [a, b, c] = [request('a'), request('b'), request('c')];
  const queue = queueOf('fcfs', [a, b, c]);
  queue.defer(a, 50, 'plan 1');
  queue.defer(a, 10, 'plan 2');
  queue.defer(b, 80, 'plan 1');
  expect(queue.first(9)).toEqual([c]);
  expect([queue.size, queue.has(a), queue.oldest]).toEqual([3, true, a]);
  expect(queue.nextChangeAtMs()).toBe(50);
  queue.recall(49);
  queue.recall(49, 'plan 2');
  expect(queue.first(9)).toEqual([c]);
  queue.recall(50);
  expect(queue.first(9)).toEqual([a, c]);
  queue.recall(51, 'plan 1');
  expect(queue.first(9)).toEqual([a, b, c]);
  expect(queue.nextChangeAtMs()).toBe(Infinity);
});

test('who is deferred can be removed and is not recalled', () => {
  const [a, b] = [request('a'), request('b')];
  const queue = queueOf('fcfs', [a]);
  queue.defer(a, 50, 'plan');
  queue.defer(b, 50, 'plan');
  queue.remove(a, 100);
  queue.remove(b, 100);
  queue.recall(60);
  expect([queue.size, queue.first(9), queue.oldest]).toEqual([0, [], undefined]);
  expect(queue.nextChangeAtMs()).toBe(Infinity);
});

test('who can no longer be in time is told apart, at the time that was said', () => {
  const [a, b] = [request('a', { dueAtMs: 500 }), request('b', { dueAtMs: 300 })];
  const queue = queueOf('fcfs', [a, b, request('c')]);
  expect(queue.nextChangeAtMs()).toBe(200);
  expect(queue.tooLate(199)).toBeUndefined();
  expect(queue.tooLate(200)).toBe(b);
  queue.estimated(b, 50, 200);
  expect(queue.tooLate(249)).toBeUndefined();
  queue.remove(b, 0);
  expect(queue.nextChangeAtMs()).toBe(400);
  queue.remove(a, 0);
  expect([queue.tooLate(1e9), queue.nextChangeAtMs()]).toEqual([undefined, Infinity]);
});

test('each is refreshed in its turn, those who came meanwhile as well', () => {
  const queue = queueOf('shortest', [request('a'), request('b')]);
  const seen = [queue.nextToRefresh()?.value];
  queue.add(request('c'), idle);
  for (let i = 0; i < 5; i += 1) seen.push(queue.nextToRefresh()?.value);
  expect(seen).toEqual(['a', 'b', 'c', 'a', 'b', 'c']);
  expect(queueOf('shortest', []).nextToRefresh()).toBeUndefined();
});

test('one that comes from another queue keeps the bound of its wait', () => {
  const kept = request('a', { beginByMs: 123 });
  const queue = queueOf('shortest', [kept, request('b')]);
  expect(kept.beginByMs).toBe(123);
  const [, b] = [...queue.all()];
  expect(queue.mayOvertake(b as Request, 100, idle, 23)).toBe(true);
  expect(queue.mayOvertake(b as Request, 100, idle, 24)).toBe(false);
});

const arrival = fc.record({
  afterMs: fc.nat(60),
  estimateMs: fc.integer({ min: 1, max: 400 }),
  priority: fc.constantFrom(5, 5, 0, 9),
  tenant: fc.constantFrom('', 'a', 'b'),
  promisedMs: fc.option(fc.integer({ min: 100, max: 2_000 }), { nil: Infinity }),
});
type Arrival = typeof arrival extends fc.Arbitrary<infer T> ? T : never;

/** Ranks that take what the queue gives them; times are whole numbers. Returns when each was begun. */
function serve(
  queue: RequestQueue<string>,
  arrivals: readonly Arrival[],
  ranks: number,
): Map<Request, number> {
  const freeAtMs = new Array<number>(ranks).fill(0);
  const begun = new Map<Request, number>();
  const coming = [...arrivals];
  let arrivesAtMs = coming[0]?.afterMs ?? 0;
  let nowMs = 0;
  const work = (): FleetWork => ({
    ranks,
    givenMs: freeAtMs.reduce((sum, at) => sum + Math.max(0, at - nowMs), 0),
  });
  while (coming.length > 0 || queue.size > 0) {
    const freeMs = Math.min(...freeAtMs);
    const hasNext = coming.length > 0;
    nowMs = Math.max(nowMs, queue.size === 0 ? arrivesAtMs : freeMs);
    if (hasNext && arrivesAtMs <= nowMs) {
      const { promisedMs, estimateMs, priority, tenant } = coming.shift() as Arrival;
      const rest = { estimateMs, priority, tenant };
      const dueAtMs = arrivesAtMs + promisedMs;
      queue.add(request(`${coming.length}`, { ...rest, arrivedAtMs: arrivesAtMs, dueAtMs }), {
        ranks,
        givenMs: freeAtMs.reduce((sum, at) => sum + Math.max(0, at - arrivesAtMs), 0),
      });
      arrivesAtMs += coming[0]?.afterMs ?? 0;
      continue;
    }
    let [next] = queue.first(1) as [Request];
    if (!queue.mayOvertake(next, next.estimateMs, work(), nowMs)) next = queue.oldest as Request;
    freeAtMs[freeAtMs.indexOf(freeMs)] = nowMs + next.estimateMs;
    begun.set(next, nowMs);
    queue.remove(next, next.estimateMs);
  }
  return begun;
}

test.each(queueOrders)('%s: nobody is begun after its bound, however much comes', (order) => {
  fc.assert(
    fc.property(
      fc.array(arrival, { minLength: 1, maxLength: 120 }),
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 100, max: 3_000 }),
      (arrivals, ranks, waitBoundMs) => {
        const begun = serve(new RequestQueue<string>({ order, waitBoundMs }), arrivals, ranks);
        expect(begun.size).toBe(arrivals.length);
        for (const [{ beginByMs }, atMs] of begun) expect(atMs).toBeLessThanOrEqual(beginByMs);
      },
    ),
    { numRuns: 150 },
  );
});

test('without the bound the longest prompt would wait for ever; with it, no longer than that', () => {
  const steady = Array.from({ length: 400 }, (): Arrival => ({
    afterMs: 50,
    estimateMs: 50,
    priority: 5,
    tenant: '',
    promisedMs: Infinity,
  }));
  const arrivals = [
    ...steady.slice(0, 2),
    { ...steady[0], afterMs: 0, estimateMs: 300 },
  ] as Arrival[];
  arrivals.push(...steady.slice(2));
  const waitOf = (waitBoundMs: number): number => {
    const queue = new RequestQueue<string>({ order: 'shortest', waitBoundMs });
    const begun = serve(queue, arrivals, 1);
    return Math.max(...[...begun].map(([{ arrivedAtMs }, atMs]) => atMs - arrivedAtMs));
  };
  expect(waitOf(1e9)).toBeGreaterThan(2_000);
  expect(waitOf(2_000)).toBeLessThanOrEqual(2_000);
});

test('one decision among 10,000 who wait takes hardly more steps than among 10', () => {
  const stepsPerDecision = (size: number): number => {
    let reads = 0;
    const random = seededRandom(3);
    const counted = (): Request => {
      let estimateMs = Math.ceil(random() * 1_000);
      return Object.defineProperty(request('', { dueAtMs: random() * 1e6 }), 'estimateMs', {
        get: () => {
          reads += 1;
          return estimateMs;
        },
        set: (value: number) => (estimateMs = value),
      });
    };
    const queue = new RequestQueue<string>({ order: 'shortest', waitBoundMs: 60_000 });
    const work = { ranks: 16, givenMs: 500 };
    for (let i = 0; i < size; i += 1) queue.add(counted(), work);
    reads = 0;
    for (let i = 0; i < 200; i += 1) {
      const found = queue.first(8);
      for (const one of found) queue.estimated(one, Math.ceil(random() * 1_000), i);
      const next = found[0] as Request;
      queue.mayOvertake(next, 100, work, i);
      queue.nextChangeAtMs();
      queue.tooLate(i);
      queue.remove(next, 100);
      queue.add(counted(), work);
    }
    return reads / 200;
  };
  // Ten changes of place in two heaps, each of which goes as deep as the heap.
  expect(stepsPerDecision(10_000)).toBeLessThan(
    stepsPerDecision(10) + 10 * 4 * Math.log2(1_000) * 2,
  );
});

test('a second of waiting counts as a tenth of a second less to compute', () => {
  expect(lengthKey(1_000, 5_000)).toBe(lengthKey(900, 6_000));
  expect(lengthKey(1_000, 5_000)).toBeLessThan(lengthKey(1_000, 5_001));
});
