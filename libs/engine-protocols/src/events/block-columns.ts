import { NameTable } from './name-table.ts';

/** No parent is known. Values below it are roots, see {@link rootParent}. */
export const NO_PARENT = -1;

export const Flag = {
  /** It is in the table. */
  LIVE: 1,
  /** Its parent and its length are known. */
  DESCRIBED: 2,
  /** So are those of all before it: its place in its segment is known. */
  RESOLVED: 4,
  /** It is in its parent's list of children. */
  LINKED: 8,
  /** Kept without copies and children until it has either. */
  PINNED: 16,
  /** Resolved by its name alone, which is a segment key. */
  ASSUMED: 32,
  /** Waits in the list of those whose resume points may have changed. */
  TOUCHED: 64,
  /** A media item begins in it. */
  HAS_MEDIA: 128,
} as const;

const LINKS = 3;
const FIRST_CHILD = 0;
const NEXT = 1;
const PREVIOUS = 2;
const NONE = -1;

/**
 * Everything that is known of an engine's blocks, in columns by block id. A block lives as long as it has copies,
 * children or a pin; whoever takes the last of these frees it.
 */
export class BlockColumns {
  readonly segmentTokens: number;
  readonly names = new NameTable();
  /** Id of the block before it, {@link NO_PARENT}, or a root. */
  parent: Int32Array;
  /** Children, and for each group and tier one when there are copies. */
  refs: Uint32Array;
  flags: Uint8Array;
  /** Resolved: where the block ends in its segment, 1 to segmentTokens. Else its tokens. */
  end: Uint16Array;
  /** Of a segment when it ends one, else of tokens; -1 for none. */
  slot: Int32Array;
  /** Tiers in which this block and all before it in its segment are held. */
  run: Uint8Array;
  #links: Int32Array | undefined;
  #capacity: number;
  readonly #linksAll: boolean;

  /** With `linksAll` children are listed also where the next segment begins. */
  constructor(segmentTokens: number, linksAll: boolean) {
    this.segmentTokens = segmentTokens;
    this.#linksAll = linksAll;
    const capacity = this.names.capacity;
    this.#capacity = capacity;
    this.parent = new Int32Array(capacity);
    this.refs = new Uint32Array(capacity);
    this.flags = new Uint8Array(capacity);
    this.end = new Uint16Array(capacity);
    this.slot = new Int32Array(capacity);
    this.run = new Uint8Array(capacity);
  }

  get capacity(): number {
    return this.#capacity;
  }

  /** Id of a name; one that was not there is a block of which nothing else is known. */
  ensure(a: number, b: number, c: number, d: number, kind: number): number {
    const id = this.names.ensure(a, b, c, d, kind);
    if (!this.names.wasAdded) return id;
    if (this.names.capacity > this.#capacity) this.#grow(this.names.capacity);
    this.begin(id);
    return id;
  }

  /** Room for so many names more, so that the columns stay where they are as these are added. */
  reserve(count: number): void {
    this.names.reserve(count);
    if (this.names.capacity > this.#capacity) this.#grow(this.names.capacity);
  }

  /** Of a block whose name was just added nothing else is known. */
  begin(id: number): void {
    this.parent[id] = NO_PARENT;
    this.refs[id] = 0;
    this.flags[id] = Flag.LIVE;
    this.end[id] = 0;
    this.slot[id] = NONE;
    this.run[id] = 0;
    if (this.#links) this.#links[id * LINKS + FIRST_CHILD] = NONE;
  }

  remove(id: number): void {
    this.flags[id] = 0;
    this.names.remove(id);
  }

  has(id: number, flag: number): boolean {
    return ((this.flags[id] as number) & flag) !== 0;
  }

  set(id: number, flags: number): void {
    this.flags[id] = (this.flags[id] as number) | flags;
  }

  unset(id: number, flags: number): void {
    this.flags[id] = (this.flags[id] as number) & ~flags;
  }

  /** Nothing keeps it. */
  isIdle(id: number): boolean {
    return this.refs[id] === 0 && !this.has(id, Flag.PINNED);
  }

  /** A resolved block that ends its segment. */
  endsSegment(id: number): boolean {
    return this.end[id] === this.segmentTokens && this.has(id, Flag.RESOLVED);
  }

  /** Where a child of a block or root begins in its segment. */
  startAfter(parent: number): number {
    if (parent < 0) return 0;
    const end = this.end[parent] as number;
    return end === this.segmentTokens ? 0 : end;
  }

  /** Tokens of a described block. */
  length(id: number): number {
    const end = this.end[id] as number;
    if (!this.has(id, Flag.RESOLVED)) return end;
    return end - this.startAfter(this.parent[id] as number);
  }

  /** Hangs a block on another one, listed where somebody will ask for it. */
  attach(id: number, parent: number): void {
    this.parent[id] = parent;
    this.set(id, Flag.DESCRIBED);
    if (parent < 0) return;
    this.refs[parent] = (this.refs[parent] as number) + 1;
    this.unset(parent, Flag.PINNED);
    if (!this.#linksAll && this.endsSegment(parent)) return;
    const links = (this.#links ??= new Int32Array(this.#capacity * LINKS).fill(NONE));
    const next = links[parent * LINKS + FIRST_CHILD] as number;
    links[parent * LINKS + FIRST_CHILD] = id;
    links[id * LINKS + NEXT] = next;
    links[id * LINKS + PREVIOUS] = NONE;
    if (next !== NONE) links[next * LINKS + PREVIOUS] = id;
    this.set(id, Flag.LINKED);
  }

  /** Takes a block from what it hangs on, and returns that. */
  detach(id: number): number {
    const parent = this.parent[id] as number;
    this.parent[id] = NO_PARENT;
    if (parent >= 0) {
      this.refs[parent] = (this.refs[parent] as number) - 1;
      if (this.has(id, Flag.LINKED)) this.#unlink(id, parent);
    }
    this.unset(id, Flag.DESCRIBED | Flag.LINKED);
    return parent;
  }

  /** First of the listed children; -1 for none. */
  firstChild(id: number): number {
    return this.#links ? (this.#links[id * LINKS + FIRST_CHILD] as number) : NONE;
  }

  nextSibling(id: number): number {
    return this.#links ? (this.#links[id * LINKS + NEXT] as number) : NONE;
  }

  #unlink(id: number, parent: number): void {
    const links = this.#links;
    if (!links) return;
    const next = links[id * LINKS + NEXT] as number;
    const previous = links[id * LINKS + PREVIOUS] as number;
    if (previous === NONE) links[parent * LINKS + FIRST_CHILD] = next;
    else links[previous * LINKS + NEXT] = next;
    if (next !== NONE) links[next * LINKS + PREVIOUS] = previous;
  }

  #grow(capacity: number): void {
    this.#capacity = capacity;
    this.parent = copy(this.parent, new Int32Array(capacity));
    this.refs = copy(this.refs, new Uint32Array(capacity));
    this.flags = copy(this.flags, new Uint8Array(capacity));
    this.end = copy(this.end, new Uint16Array(capacity));
    this.slot = copy(this.slot, new Int32Array(capacity));
    this.run = copy(this.run, new Uint8Array(capacity));
    if (this.#links) {
      this.#links = copy(this.#links, new Int32Array(capacity * LINKS));
    }
  }
}

/** A root as a parent. */
export function rootParent(root: number): number {
  return NO_PARENT - 1 - root;
}

/** The root that a parent below {@link NO_PARENT} is. */
export function rootOf(parent: number): number {
  return NO_PARENT - 1 - parent;
}

function copy<A extends Int32Array | Uint32Array | Uint16Array | Uint8Array>(from: A, to: A): A {
  to.set(from);
  return to;
}
