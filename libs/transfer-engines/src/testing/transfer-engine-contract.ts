import { SeededRandom } from '@baton/kv';
import { eventually } from '@baton/test-kit';
import { expect, test } from 'vitest';
import type {
  PageMemory,
  PagePayload,
  PulledTail,
  PullOrder,
  PullOutcome,
  SegmentSource,
  TransferEngine,
} from '../transfer-engine.ts';
import { ScriptedSource, testKey, testKeys, testPayload } from './scripted-source.ts';

/** One agent's end of a backend, opened for a test. */
export interface ContractSide {
  engine: TransferEngine;
  memory: PageMemory;
  close(): Promise<void>;
}

export type OpenSide = (source: SegmentSource, layout: string) => Promise<ContractSide>;

/** Pages that the memory of a side must have, and their size. */
export const CONTRACT_PAGES = 64;
export const CONTRACT_PAGE_BYTES = 32 * 1024;

const LAYOUT = 'layout-a';
const LONG_MS = 20_000;
const BLANK = 0xee;
const isBlank = (bytes: Uint8Array): boolean =>
  Buffer.compare(bytes, new Uint8Array(bytes.length).fill(BLANK)) === 0;

/** Source and destination, with what the destination has been told. */
class Pair {
  readonly source = new ScriptedSource();
  readonly arrived = new Map<number, PagePayload>();
  tail: PulledTail | undefined;
  from: ContractSide;
  to: ContractSide;

  private constructor(from: ContractSide, to: ContractSide, source: ScriptedSource) {
    this.from = from;
    this.to = to;
    this.source = source;
  }

  static async open(openSide: OpenSide, layout = LAYOUT): Promise<Pair> {
    const source = new ScriptedSource();
    const from = await openSide(source, LAYOUT);
    source.memory = from.memory;
    return new Pair(from, await openSide(new ScriptedSource(), layout), source);
  }

  /** Segments `from`…: segment n lies in the source's page n and is filled from seed n. */
  put(from: number, count: number, bytes = CONTRACT_PAGE_BYTES): void {
    for (let n = from; n < from + count; n += 1) this.source.put(testKey(n), n, bytes, n);
  }

  order(order: Partial<PullOrder> & { keys: Uint8Array }): PullOrder {
    const pages = Array.from({ length: order.keys.length / 16 }, (_, i) => i);
    return {
      transferId: 't1',
      planId: 'p1',
      address: this.from.engine.address,
      pages,
      wait: false,
      timeoutMs: LONG_MS,
      ...order,
    };
  }

  pull(order: Partial<PullOrder> & { keys: Uint8Array }) {
    return this.to.engine.pull(this.order(order), {
      segment: (index, payload) => void this.arrived.set(index, payload),
      tail: (tail) => void (this.tail = tail),
    });
  }

  /** True when the page holds what was put with this seed. */
  has(page: number, bytes: number, seed: number): boolean {
    const start = page * this.to.memory.pageBytes;
    const held = this.to.memory.bytes.subarray(start, start + bytes);
    return Buffer.compare(held, testPayload(bytes, seed)) === 0;
  }

  /** True when nobody has written into the page since all memory was filled with {@link BLANK}. */
  isBlank(page: number): boolean {
    const start = page * this.to.memory.pageBytes;
    return isBlank(this.to.memory.bytes.subarray(start, start + CONTRACT_PAGE_BYTES));
  }

  async close(): Promise<void> {
    await Promise.all([this.to.close(), this.from.close()]);
    expect(this.source.reading).toEqual(new Map());
    expect(this.source.openStreams).toBe(0);
  }
}

/** What must hold for each backend. `openSide` gives memory of {@link CONTRACT_PAGES} pages. */
export function transferEngineContract(openSide: OpenSide): void {
  movesBytes(openSide);
  waits(openSide);
  refuses(openSide);
  ends(openSide);
}

function movesBytes(openSide: OpenSide): void {
  test('segments arrive in the pages that were named, and nothing else changes', async () => {
    const pair = await Pair.open(openSide);
    pair.put(0, 24);
    pair.to.memory.bytes.fill(BLANK);
    const pages = Array.from({ length: 24 }, (_, i) => 40 - i);
    const outcome = await pair.pull({ keys: testKeys(0, 24), pages }).done;
    expect(outcome).toMatchObject({ status: 'done', segments: 24, leadingSegments: 24 });
    expect(outcome.bytes).toBe(24 * CONTRACT_PAGE_BYTES);
    expect([...pair.arrived.keys()].sort((a, b) => a - b)).toEqual([...pages.keys()]);
    for (const [i, page] of pages.entries()) {
      expect(pair.has(page, CONTRACT_PAGE_BYTES, i)).toBe(true);
    }
    expect(pair.isBlank(41) && pair.isBlank(16)).toBe(true);
    expect(pair.to.engine.counters).toMatchObject({ segmentsIn: 24, bytesIn: outcome.bytes });
    await eventually(() => pair.from.engine.counters.bytesOut === outcome.bytes);
    await pair.close();
  });

  test('lengths are kept, whatever they are', async () => {
    const pair = await Pair.open(openSide);
    const lengths = [1, 2, 35, 36, 37, 4096, CONTRACT_PAGE_BYTES - 1, CONTRACT_PAGE_BYTES];
    for (const [n, bytes] of lengths.entries()) pair.source.put(testKey(n), n, bytes, n);
    await pair.pull({ keys: testKeys(0, lengths.length) }).done;
    for (const [n, bytes] of lengths.entries()) {
      expect(pair.arrived.get(n)?.bytes).toBe(bytes);
      expect(pair.has(n, bytes, n)).toBe(true);
    }
    await pair.close();
  });

  test.each([0, 1, 1000])('a tail of %d bytes brings the state', async (bytes) => {
    const pair = await Pair.open(openSide);
    pair.put(0, 3);
    pair.source.putTail(60, bytes, 99, Uint8Array.of(1, 2, 3));
    const outcome = await pair.pull({ keys: testKeys(0, 3), tailPage: 50 }).done;
    expect(outcome).toMatchObject({ status: 'done', hasTail: true });
    expect(pair.tail).toMatchObject({ bytes });
    expect([...(pair.tail?.state ?? [])]).toEqual([1, 2, 3]);
    expect(pair.has(50, bytes, 99)).toBe(true);
    await pair.close();
  });

  test('a handover of a short prompt is a tail alone', async () => {
    const pair = await Pair.open(openSide);
    pair.source.putTail(60, 77, 5, Uint8Array.of(9));
    const outcome = await pair.pull({ keys: new Uint8Array(), tailPage: 0 }).done;
    expect(outcome).toMatchObject({ status: 'done', hasTail: true, segments: 0, bytes: 77 });
    await pair.close();
  });

  test('pulls at the same time do not mix', async () => {
    const pair = await Pair.open(openSide);
    pair.put(0, 32);
    const outcomes = await Promise.all(
      Array.from({ length: 16 }, (_, i) => {
        const pages = [2 * i, 2 * i + 1];
        return pair.pull({ transferId: `t${i}`, keys: testKeys(2 * i, 2), pages }).done;
      }),
    );
    expect(outcomes.every((outcome) => outcome.status === 'done')).toBe(true);
    for (let n = 0; n < 32; n += 1) {
      expect(pair.has(n, CONTRACT_PAGE_BYTES, n)).toBe(true);
    }
    await pair.close();
  });
}

function waits(openSide: OpenSide): void {
  test('segments that are still being computed come as soon as they are there', async () => {
    const pair = await Pair.open(openSide);
    const pull = pair.pull({ keys: testKeys(0, 5), tailPage: 50, wait: true });
    for (let n = 0; n < 5; n += 1) {
      await eventually(() => pair.arrived.size === n);
      pair.put(n, 1);
    }
    await eventually(() => pair.arrived.size === 5);
    expect(pair.tail).toBeUndefined();
    pair.source.putTail(60, 10, 1, Uint8Array.of(7));
    expect(await pull.done).toMatchObject({ status: 'done', leadingSegments: 5, hasTail: true });
    await pair.close();
  });

  test('a prefill that fails ends the wait at once, with its reason', async () => {
    const pair = await Pair.open(openSide);
    pair.put(0, 2);
    const pull = pair.pull({ keys: testKeys(0, 5), tailPage: 50, wait: true });
    await eventually(() => pair.arrived.size === 2);
    pair.source.fail({ code: 'engine_failed', message: 'prefill aborted' });
    expect(await pull.done).toMatchObject({
      status: 'partial',
      code: 'engine_failed',
      message: 'prefill aborted',
      leadingSegments: 2,
    });
    await pair.close();
  });

  test('a wait in vain ends with the time limit', async () => {
    const pair = await Pair.open(openSide);
    const outcome = await pair.pull({ keys: testKeys(0, 1), wait: true, timeoutMs: 50 }).done;
    expect(outcome).toMatchObject({ status: 'failed', code: 'deadline_exceeded' });
    await eventually(() => pair.source.openStreams === 0);
    await pair.close();
  });
}

function refuses(openSide: OpenSide): void {
  test('another KV layout is refused', async () => {
    const pair = await Pair.open(openSide, 'layout-b');
    pair.put(0, 1);
    const outcome = await pair.pull({ keys: testKeys(0, 1) }).done;
    expect(outcome).toMatchObject({ status: 'failed', code: 'layout_mismatch', segments: 0 });
    expect(pair.source.queries).toEqual([]);
    await pair.close();
  });

  test('a source may refuse, and the next pull is served', async () => {
    const pair = await Pair.open(openSide);
    pair.put(0, 1);
    pair.source.refusal = { code: 'unknown_plan', message: 'never heard of it' };
    const refused = await pair.pull({ keys: testKeys(0, 1) }).done;
    expect(refused).toMatchObject({ status: 'failed', code: 'unknown_plan' });
    pair.source.refusal = undefined;
    expect((await pair.pull({ keys: testKeys(0, 1) }).done).status).toBe('done');
    await pair.close();
  });

  test('a segment that is missing ends the pull there; what lies before it is usable', async () => {
    const pair = await Pair.open(openSide);
    pair.put(0, 20);
    pair.source.remove(testKey(7));
    const outcome = await pair.pull({ keys: testKeys(0, 20) }).done;
    expect(outcome).toMatchObject({
      status: 'partial',
      code: 'segment_not_found',
      leadingSegments: 7,
    });
    for (const n of pair.arrived.keys()) {
      expect(pair.has(n, CONTRACT_PAGE_BYTES, n)).toBe(true);
    }
    await pair.close();
  });

  test('bytes that do not fit their checksum are not handed on', async () => {
    const pair = await Pair.open(openSide);
    pair.put(0, 4);
    pair.source.put(testKey(2), 2, CONTRACT_PAGE_BYTES, 2, 0x100);
    const outcome = await pair.pull({ keys: testKeys(0, 4) }).done;
    expect(outcome).toMatchObject({ status: 'partial', code: 'checksum_mismatch' });
    expect(outcome.leadingSegments).toBe(2);
    expect(pair.arrived.has(2)).toBe(false);
    expect(pair.to.engine.counters.checksumFailures).toBe(1);
    await pair.close();
  });

  test.each<[string, Partial<PullOrder>]>([
    ['half a key', { keys: new Uint8Array(24), pages: [0, 1] }],
    ['fewer pages than keys', { pages: [0] }],
    ['a page outside', { pages: [0, CONTRACT_PAGES] }],
    ['a negative page', { pages: [-1, 0] }],
    ['a page that is no number', { pages: [0.5, 1] }],
    ['the same page twice', { pages: [3, 3] }],
    ['a tail in a segment’s page', { pages: [3, 4], tailPage: 4 }],
    ['nothing', { keys: new Uint8Array(), pages: [] }],
    ['no time', { timeoutMs: 0 }],
    ['endless time', { timeoutMs: Infinity }],
    ['an address that is none', { address: 'nowhere' }],
    ['an address with a path', { address: '127.0.0.1:80/etc' }],
  ])('an order with %s is refused before anything moves', async (_, wrong) => {
    const pair = await Pair.open(openSide);
    pair.put(0, 2);
    const outcome = await pair.pull({ keys: testKeys(0, 2), ...wrong }).done;
    expect(outcome).toMatchObject({ status: 'failed', code: 'protocol_violation' });
    expect(outcome.message).toBeTruthy();
    expect(pair.source.queries).toEqual([]);
    await pair.close();
  });
}

function ends(openSide: OpenSide): void {
  test('after a cancel, nothing is written once the pull is final', async () => {
    const pair = await Pair.open(openSide);
    pair.put(0, 32);
    const statuses = new Set<string>();
    for (let round = 0; round < 60; round += 1) {
      pair.arrived.clear();
      const pull = pair.pull({ transferId: `t${round}`, keys: testKeys(0, 32) });
      await eventually(() => pair.arrived.size >= round % 30);
      pull.cancel('changed my mind');
      const outcome: PullOutcome = await pull.done;
      statuses.add(outcome.status);
      pair.to.memory.bytes.fill(BLANK);
      await new Promise((resolve) => setTimeout(resolve, 2));
      expect(isBlank(pair.to.memory.bytes)).toBe(true);
    }
    expect(statuses.has('cancelled')).toBe(true);
    await eventually(() => pair.source.reading.size === 0);
    await pair.close();
  });

  test('a source that goes away ends the pull; its own pages are released', async () => {
    const pair = await Pair.open(openSide);
    pair.put(0, 3);
    const pull = pair.pull({ keys: testKeys(0, 6), wait: true });
    await eventually(() => pair.arrived.size === 3);
    await pair.from.close();
    expect(await pull.done).toMatchObject({ status: 'partial', leadingSegments: 3 });
    const again = await pair.pull({ keys: testKeys(0, 1) }).done;
    expect(again).toMatchObject({ status: 'failed', code: 'agent_unavailable' });
    await pair.close();
  });

  test('a destination that closes makes its pulls final first, and the source lets go', async () => {
    const pair = await Pair.open(openSide);
    pair.put(0, 3);
    const pull = pair.pull({ keys: testKeys(0, 6), wait: true });
    await eventually(() => pair.arrived.size === 3);
    await pair.to.close();
    expect((await pull.done).status).toBe('cancelled');
    await eventually(() => pair.source.openStreams === 0 && pair.source.reading.size === 0);
    const late = await pair.pull({ keys: testKeys(0, 1) }).done;
    expect(late).toMatchObject({ status: 'failed', code: 'shutting_down' });
    await pair.close();
  });

  test('a thousand pulls, many cancelled: nobody keeps a page', async () => {
    const pair = await Pair.open(openSide);
    pair.put(0, 16, 2000);
    pair.source.putTail(60, 500, 3, Uint8Array.of(1));
    const random = new SeededRandom(12_345);
    const counted = { done: 0, cancelled: 0, other: 0 };
    for (let round = 0; round < 125; round += 1) {
      const pulls = Array.from({ length: 8 }, (_, slot) => {
        const from = random.below(8);
        const count = 1 + random.below(7);
        const pages = Array.from({ length: count }, (_, i) => slot * 8 + i);
        const tailPage = random.below(2) === 0 ? slot * 8 + 7 : undefined;
        const keys = testKeys(from, count);
        const pull = pair.pull({ transferId: `t${round}-${slot}`, keys, pages, tailPage });
        if (random.below(2) === 0) setTimeout(() => pull.cancel('random'), random.below(3));
        return pull.done;
      });
      for (const { status } of await Promise.all(pulls)) {
        if (status === 'done' || status === 'cancelled') counted[status] += 1;
        else counted.other += 1;
      }
    }
    expect(counted.done).toBeGreaterThan(300);
    expect(counted.cancelled).toBeGreaterThan(10);
    expect(counted.other).toBe(0);
    const { counters } = pair.to.engine;
    expect(counters).toMatchObject({ pullsStarted: 1000, pullsActive: 0 });
    expect(counters.pullsCompleted + counters.pullsFailed).toBe(1000);
    await eventually(() => pair.source.reading.size === 0 && pair.source.openStreams === 0);
    await pair.close();
  });
}
