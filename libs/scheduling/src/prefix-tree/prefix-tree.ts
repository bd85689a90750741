import { KEY_BYTES, viewOf } from '@baton/kv';

/** An owner's hold on one segment. Of each owner they are a list by last use. */
interface Hold {
  readonly node: Node;
  readonly owner: Owner;
  lastUse: number;
  nextOfNode: Hold | undefined;
  older: Hold | undefined;
  newer: Hold | undefined;
}

/** One segment, which is also the whole prefix before it. */
interface Node {
  readonly id: number;
  holds: Hold | undefined;
}

interface Owner {
  readonly name: string;
  segments: number;
  oldest: Hold | undefined;
  newest: Hold | undefined;
}

export interface PrefixMatch {
  /** Leading segments that one of the owners has. */
  segments: number;
  /** Who has all of them, the last user first. */
  owners: readonly string[];
}

/** What all owners together may hold, in segments; about 150 bytes each. */
export const MAX_TREE_SEGMENTS = 1_000_000;

/**
 * What was sent where, by segment keys: a radix tree of prefixes in which every node knows its owners, the ranks that
 * were sent it.
 *
 * A key names the whole prefix before it, so the tree is one flat map. An owner that holds a segment
 * holds all before it, and used those at least as late: its list ends in a leaf, always.
 * Cost: a match needs the logarithm of the prompt's length, an insertion its length.
 */
export class PrefixTree {
  readonly #maxSegments: number;
  readonly #nodes = new Map<number, Node>();
  readonly #owners = new Map<string, Owner>();
  #segments = 0;

  constructor(maxSegments: number = MAX_TREE_SEGMENTS) {
    this.#maxSegments = maxSegments;
  }

  /** Sum over all owners. */
  get segments(): number {
    return this.#segments;
  }

  /** Different segments, whoever has them. */
  get nodes(): number {
    return this.#nodes.size;
  }

  segmentsOf(owner: string): number {
    return this.#owners.get(owner)?.segments ?? 0;
  }

  /**
   * The longest prefix that somebody has, or somebody of the given ones.
   *
   * @param among names that count; all where nothing is given
   */
  match(keys: Uint8Array, among?: ReadonlySet<string>): PrefixMatch {
    const view = viewOf(keys);
    const isHeld = (segments: number): boolean => {
      const node = this.#nodes.get(idAt(view, segments - 1));
      return node !== undefined && hasOwner(node, among);
    };
    // Who has a segment has all before it, so the end can be searched by halves.
    let known = 0;
    let unknown = keys.length / KEY_BYTES + 1;
    while (unknown - known > 1) {
      const middle = (known + unknown) >>> 1;
      if (isHeld(middle)) known = middle;
      else unknown = middle;
    }
    const last = known === 0 ? undefined : this.#nodes.get(idAt(view, known - 1));
    return { segments: known, owners: ownersOf(last, among) };
  }

  /** The owner uses these segments, those that it has and new ones. `lastUse` never goes back. */
  insert(keys: Uint8Array, ownerName: string, lastUse: number): void {
    const owner = this.#ownerOf(ownerName);
    const view = viewOf(keys);
    // From the end: of one insertion, the last segment is the first to go.
    for (let i = keys.length / KEY_BYTES - 1; i >= 0; i -= 1) {
      const hold = this.#holdOf(idAt(view, i), owner);
      hold.lastUse = lastUse;
      unlink(hold);
      append(hold);
    }
    while (this.#segments > this.#maxSegments) {
      this.evict(this.#largest().name, this.#segments - this.#maxSegments);
    }
  }

  /** Takes so many segments from an owner, leaves first, the least recently used first. */
  evict(ownerName: string, segments: number): void {
    const owner = this.#owners.get(ownerName);
    for (let left = segments; left > 0 && owner?.oldest !== undefined; left -= 1) {
      this.#drop(owner.oldest);
    }
  }

  /** The same, but what was used at the same time goes together, even when that is more. */
  evictByLastUse(ownerName: string, segments: number): void {
    const owner = this.#owners.get(ownerName);
    if (owner === undefined) return;
    const target = owner.segments - segments;
    let lastUse = Number.NaN;
    while (owner.oldest !== undefined) {
      if (owner.segments <= target && owner.oldest.lastUse !== lastUse) return;
      lastUse = owner.oldest.lastUse;
      this.#drop(owner.oldest);
    }
  }

  removeOwner(ownerName: string): void {
    this.evict(ownerName, Infinity);
    this.#owners.delete(ownerName);
  }

  get ownerNames(): string[] {
    return [...this.#owners.keys()];
  }

  #ownerOf(name: string): Owner {
    let owner = this.#owners.get(name);
    if (owner === undefined) {
      owner = { name, segments: 0, oldest: undefined, newest: undefined };
      this.#owners.set(name, owner);
    }
    return owner;
  }

  #holdOf(id: number, owner: Owner): Hold {
    let node = this.#nodes.get(id);
    if (node === undefined) {
      node = { id, holds: undefined };
      this.#nodes.set(id, node);
    }
    for (let hold = node.holds; hold !== undefined; hold = hold.nextOfNode) {
      if (hold.owner === owner) return hold;
    }
    const made: Hold = {
      node,
      owner,
      lastUse: 0,
      nextOfNode: node.holds,
      older: undefined,
      newer: undefined,
    };
    node.holds = made;
    owner.segments += 1;
    this.#segments += 1;
    return made;
  }

  #drop(hold: Hold): void {
    const { node, owner } = hold;
    unlink(hold);
    owner.segments -= 1;
    this.#segments -= 1;
    if (owner.segments === 0) this.#owners.delete(owner.name);
    if (node.holds === hold) node.holds = hold.nextOfNode;
    for (let one = node.holds; one !== undefined; one = one.nextOfNode) {
      if (one.nextOfNode === hold) one.nextOfNode = hold.nextOfNode;
    }
    if (node.holds === undefined) this.#nodes.delete(node.id);
  }

  #largest(): Owner {
    return [...this.#owners.values()].reduce((a, b) => (b.segments > a.segments ? b : a));
  }
}

/** 53 bits of a key: a number is found faster than a string, and a clash does no harm but a bad guess. */
function idAt(view: DataView, segment: number): number {
  const at = segment * KEY_BYTES;
  return view.getUint32(at) * 2 ** 21 + (view.getUint32(at + 4) >>> 11);
}

function hasOwner(node: Node, among: ReadonlySet<string> | undefined): boolean {
  if (among === undefined) return true;
  for (let hold = node.holds; hold !== undefined; hold = hold.nextOfNode) {
    if (among.has(hold.owner.name)) return true;
  }
  return false;
}

function ownersOf(node: Node | undefined, among: ReadonlySet<string> | undefined): string[] {
  const holds: Hold[] = [];
  for (let hold = node?.holds; hold !== undefined; hold = hold.nextOfNode) {
    if (among === undefined || among.has(hold.owner.name)) holds.push(hold);
  }
  return holds.sort((a, b) => b.lastUse - a.lastUse).map((hold) => hold.owner.name);
}

function unlink(hold: Hold): void {
  const { owner, older, newer } = hold;
  if (older !== undefined) older.newer = newer;
  else if (owner.oldest === hold) owner.oldest = newer;
  if (newer !== undefined) newer.older = older;
  else if (owner.newest === hold) owner.newest = older;
  hold.older = undefined;
  hold.newer = undefined;
}

function append(hold: Hold): void {
  const { owner } = hold;
  hold.older = owner.newest;
  if (owner.newest !== undefined) owner.newest.newer = hold;
  else owner.oldest = hold;
  owner.newest = hold;
}
