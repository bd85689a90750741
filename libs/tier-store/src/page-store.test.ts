import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PageStore } from './index.ts';

const payload = { bytes: 10, checksum: 7 };

/** Puts segments into the store the way a writer does. */
function fill(store: PageStore, keys: string[]): number[] {
  const pages = store.reserve('filler', keys) ?? [];
  for (const page of pages) {
    store.startWrite(page, 'filler');
    store.commit(page, 'filler', payload);
  }
  return pages;
}

test('a reservation is all or nothing', () => {
  const store = new PageStore(3);
  expect(store.reserve('a', ['x', 'y', 'z', 'w'])).toBeUndefined();
  expect(store.counts).toMatchObject({ free: 3, reserved: 0 });
  expect(store.reserve('a', ['x', 'y'])).toHaveLength(2);
  expect(store.reserve('b', ['z', 'w'])).toBeUndefined();
  expect(store.counts).toMatchObject({ free: 1, reserved: 2 });
});

test('the least recently used segment gives way, unless somebody holds it', () => {
  const removed: string[] = [];
  const store = new PageStore(3, { stored: () => undefined, removed: (key) => removed.push(key) });
  const [a = -1] = fill(store, ['a', 'b', 'c']);
  store.hold(a, 'reader');
  expect(store.reserve('w', ['d'])).toHaveLength(1);
  expect(removed).toEqual(['b']);
  expect(store.find('a')).toBe(a);
  store.release(a, 'reader');
  expect(store.reserve('w', ['e', 'f'])).toHaveLength(2);
  expect(removed).toEqual(['b', 'c', 'a']);
});

test('what is discarded is found by nobody, and free after its last hold', () => {
  const removed: string[] = [];
  const store = new PageStore(2, { stored: () => undefined, removed: (key) => removed.push(key) });
  const [a = -1, b = -1] = fill(store, ['a', 'b']);
  store.hold(a, 'reader');
  store.discard(a);
  store.discard(a);
  expect([store.find('a'), removed]).toEqual([undefined, ['a']]);
  expect(store.reserve('w', ['c', 'd'])).toBeUndefined();
  store.release(a, 'reader');
  expect(store.counts).toMatchObject({ free: 1, held: 1, leases: 0 });
  store.discard(b);
  expect(store.counts).toMatchObject({ free: 2, held: 0 });
  expect(store.reserve('w', ['a', 'b'])).toHaveLength(2);
  store.discard(0);
  expect(store.counts).toMatchObject({ reserved: 2 });
});

test('the beginning of a chain outlives its end', () => {
  const removed: string[] = [];
  const store = new PageStore(3, { stored: () => undefined, removed: (key) => removed.push(key) });
  for (const page of fill(store, ['0', '1', '2'])) store.hold(page, 'reader');
  store.releaseAll('reader');
  store.reserve('w', ['a', 'b']);
  expect(removed).toEqual(['2', '1']);
});

test('a page stays with its writer until the writer lets go', () => {
  const store = new PageStore(2);
  const [one = -1, two = -1] = store.reserve('pull', ['a', undefined]) ?? [];
  store.startWrite(one, 'pull');
  store.abandon(two, 'pull');
  expect(store.counts).toMatchObject({ free: 1, writing: 1 });
  expect(store.startWrite(two, 'pull')).toBe(false);
  expect(store.reserve('other', ['b', 'c'])).toBeUndefined();
  expect(store.abandon(one, 'pull')).toBe(true);
  expect(store.abandon(one, 'pull')).toBe(false);
  expect(store.counts).toMatchObject({ free: 2, writing: 0 });
});

test('whoever commits a key second gets the page of the first', () => {
  const store = new PageStore(2);
  const [one = -1] = store.reserve('p', ['a']) ?? [];
  const [two = -1] = store.reserve('q', ['a']) ?? [];
  store.startWrite(one, 'p');
  store.startWrite(two, 'q');
  expect(store.commit(two, 'q', payload)).toBe(two);
  expect(store.commit(one, 'p', payload)).toBe(two);
  expect(store.counts).toMatchObject({ free: 1, held: 1 });
});

test('a private page lives as long as it is held', () => {
  const store = new PageStore(1);
  const [page = -1] = store.reserve('p', [undefined]) ?? [];
  expect(store.commit(page, 'p', payload)).toBeUndefined();
  store.startWrite(page, 'p');
  expect(store.commit(page, 'p', payload)).toBe(page);
  store.hold(page, 'reader');
  store.releaseAll('p');
  expect(store.payload(page)).toEqual(payload);
  store.release(page, 'reader');
  expect(store.counts).toMatchObject({ free: 1, held: 0, leases: 0 });
});

test('a stranger can neither commit, abandon nor release', () => {
  const store = new PageStore(2);
  const [page = -1] = store.reserve('p', ['a']) ?? [];
  store.startWrite(page, 'p');
  expect(store.commit(page, 'q', payload)).toBeUndefined();
  expect(store.abandon(page, 'q')).toBe(false);
  expect(store.hold(page, 'q')).toBe(false);
  expect(store.release(page, 'q')).toBe(false);
  expect(store.hold(99, 'q')).toBe(false);
  expect(store.counts).toMatchObject({ writing: 1, leases: 0 });
});

const owner: fc.Arbitrary<string> = fc.constantFrom('a', 'b', 'c');
const keyList = fc.array(fc.option(fc.constantFrom(...'stuvwxyz'), { nil: undefined }), {
  minLength: 1,
  maxLength: 4,
});
const step = fc.oneof(
  fc.record({ type: fc.constant('reserve' as const), owner, keys: keyList }),
  fc.record({
    type: fc.constantFrom('start', 'commit', 'abandon', 'hold', 'release'),
    owner,
    page: fc.nat(5),
    /** One in six is tried on any page by anybody; the others where they make sense. */
    isWild: fc.nat(5).map((n) => n === 0),
  }),
  fc.record({ type: fc.constantFrom('abandonAll', 'releaseAll'), owner }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

interface ModelPage {
  state: 'free' | 'reserved' | 'writing' | 'held';
  key?: string | undefined;
  writer?: string;
  /** Owner of each hold. */
  holds: string[];
}

/** The same rules, written as slowly and plainly as they can be. */
class Model {
  pages: ModelPage[] = Array.from({ length: 6 }, () => ({
    state: 'free',
    holds: [],
  }));

  canTake(page: ModelPage): boolean {
    return page.state === 'free' || (page.state === 'held' && page.holds.length === 0);
  }
  free(page: ModelPage): void {
    Object.assign(page, { state: 'free', key: undefined, writer: undefined, holds: [] });
  }
  drop(page: ModelPage, keep: (owner: string, index: number) => boolean): void {
    const before = page.holds.length;
    page.holds = page.holds.filter(keep);
    const isOver = page.holds.length === 0 && before > 0;
    if (isOver && page.state === 'held' && page.key === undefined) this.free(page);
  }
}

function reserveStep(store: PageStore, model: Model, owner: string, keys: (string | undefined)[]) {
  const room = model.pages.filter((page) => model.canTake(page)).length;
  const pages = store.reserve(owner, keys);
  expect(pages === undefined).toBe(keys.length > room);
  if (!pages) return;
  expect(new Set(pages).size).toBe(keys.length);
  pages.forEach((index, i) => {
    const page = model.pages[index]!;
    expect(model.canTake(page)).toBe(true);
    model.free(page);
    Object.assign(page, { state: 'reserved', key: keys[i], writer: owner });
  });
}

/** Moves the step to a page, and to an owner, that it can do something to. */
function aimed(model: Model, s: Extract<Step, { page: number }>): Extract<Step, { page: number }> {
  const suits = (page: ModelPage): boolean => {
    if (s.type === 'start') return page.state === 'reserved';
    if (s.type === 'commit') return page.state === 'writing';
    if (s.type === 'abandon') return page.writer !== undefined;
    return s.type === 'hold' ? page.state === 'held' : page.holds.length > 0;
  };
  const candidates = model.pages.flatMap((page, i) => (suits(page) ? [i] : []));
  const page = candidates[s.page % Math.max(candidates.length, 1)];
  if (s.isWild || page === undefined) return s;
  const owner = model.pages[page]?.writer ?? model.pages[page]?.holds[0] ?? s.owner;
  return { ...s, page, owner: s.type === 'hold' ? s.owner : owner };
}

function pageStep(store: PageStore, model: Model, s: Extract<Step, { page: number }>) {
  const page = model.pages[s.page]!;
  const isWriter = page.writer === s.owner;
  if (s.type === 'start') {
    const may = isWriter && page.state === 'reserved';
    expect(store.startWrite(s.page, s.owner)).toBe(may);
    if (may) page.state = 'writing';
  } else if (s.type === 'abandon') {
    const may = isWriter && (page.state === 'reserved' || page.state === 'writing');
    expect(store.abandon(s.page, s.owner)).toBe(may);
    if (may) model.free(page);
  } else if (s.type === 'hold') {
    const may = page.state === 'held';
    expect(store.hold(s.page, s.owner)).toBe(may);
    if (may) page.holds.push(s.owner);
  } else if (s.type === 'release') {
    const index = page.holds.indexOf(s.owner);
    expect(store.release(s.page, s.owner)).toBe(index >= 0);
    model.drop(page, (_owner, i) => i !== index);
  } else {
    commitStep(store, model, s);
  }
}

function commitStep(store: PageStore, model: Model, s: Extract<Step, { page: number }>) {
  const page = model.pages[s.page]!;
  const may = page.writer === s.owner && page.state === 'writing';
  const first = model.pages.findIndex(
    (other) => other.state === 'held' && other.key !== undefined && other.key === page.key,
  );
  const result = store.commit(s.page, s.owner, payload);
  if (!may) return expect(result).toBeUndefined();
  if (first >= 0) {
    expect(result).toBe(first);
    return model.free(page);
  }
  expect(result).toBe(s.page);
  Object.assign(page, { state: 'held', writer: undefined });
  if (page.key === undefined) page.holds = [s.owner];
  return undefined;
}

function ownerStep(store: PageStore, model: Model, type: string, owner: string) {
  const written = model.pages.filter((page) => page.writer === owner);
  if (type === 'releaseAll') {
    store.releaseAll(owner);
    for (const page of model.pages) model.drop(page, (holder) => holder !== owner);
  } else {
    store.abandonAll(owner);
    for (const page of written) model.free(page);
  }
}

function compare(store: PageStore, model: Model, announced: Set<string>): void {
  const count = (state: string) => model.pages.filter((page) => page.state === state).length;
  expect(store.counts).toEqual({
    free: count('free'),
    reserved: count('reserved'),
    writing: count('writing'),
    held: count('held'),
    pinned: model.pages.filter((page) => page.holds.length > 0).length,
    leases: model.pages.reduce((sum, page) => sum + page.holds.length, 0),
  });
  const held = model.pages.flatMap((page, i) =>
    page.state === 'held' && page.key !== undefined ? [[page.key, i] as const] : [],
  );
  expect(new Set(store.keys())).toEqual(new Set(held.map(([key]) => key)));
  for (const [key, page] of held) expect(store.find(key)).toBe(page);
  expect(announced).toEqual(new Set(store.keys()));
}

test('the store does what a naive model does, and nothing leaks', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120, size: 'max' }), (steps) => {
      const announced = new Set<string>();
      const store = new PageStore(6, {
        stored: (key) => void announced.add(key),
        removed: (key) => void announced.delete(key),
      });
      const model = new Model();
      for (const s of steps) {
        if (s.type === 'reserve') reserveStep(store, model, s.owner, s.keys);
        else if ('page' in s) pageStep(store, model, aimed(model, s));
        else ownerStep(store, model, s.type, s.owner);
        compare(store, model, announced);
      }
      for (const name of 'abc') {
        store.abandonAll(name);
        store.releaseAll(name);
      }
      expect(store.counts).toMatchObject({ reserved: 0, writing: 0, pinned: 0, leases: 0 });
      expect(store.available).toBe(6);
    }),
    { numRuns: 500 },
  );
});
