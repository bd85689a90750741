import { KEY_BYTES, viewOf } from '@baton/kv';

/** A tenant's hold on one segment. Of each tenant they are a list by last use. */
interface Hold {
  readonly node: Node;
  readonly tenant: Tenant;
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

interface Tenant {
  readonly name: string;
  segments: number;
  oldest: Hold | undefined;
  newest: Hold | undefined;
}

export interface PrefixMatch {
  /** Leading segments that one of the tenants has. */
  segments: number;
  /** Who has all of them, the last user first. */
  tenants: readonly string[];
}

/** What all tenants together may hold, in segments; about 150 bytes each. */
export const MAX_TREE_SEGMENTS = 1_000_000;

/**
 * What was sent where, by segment keys: a radix tree of prefixes in which every node knows its tenants.
 *
 * A key names the whole prefix before it, so the tree is one flat map. A tenant that holds a segment
 * holds all before it, and used those at least as late: its list ends in a leaf, always.
 * Cost: a match needs the logarithm of the prompt's length, an insertion its length.
 */
export class PrefixTree {
  readonly #maxSegments: number;
  readonly #nodes = new Map<number, Node>();
  readonly #tenants = new Map<string, Tenant>();
  #segments = 0;

  constructor(maxSegments: number = MAX_TREE_SEGMENTS) {
    this.#maxSegments = maxSegments;
  }

  /** Sum over all tenants. */
  get segments(): number {
    return this.#segments;
  }

  /** Different segments, whoever has them. */
  get nodes(): number {
    return this.#nodes.size;
  }

  segmentsOf(tenant: string): number {
    return this.#tenants.get(tenant)?.segments ?? 0;
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
      return node !== undefined && hasTenant(node, among);
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
    return { segments: known, tenants: tenantsOf(last, among) };
  }

  /** The tenant uses these segments, those that it has and new ones. `lastUse` never goes back. */
  insert(keys: Uint8Array, tenantName: string, lastUse: number): void {
    const tenant = this.#tenantOf(tenantName);
    const view = viewOf(keys);
    // From the end: of one insertion, the last segment is the first to go.
    for (let i = keys.length / KEY_BYTES - 1; i >= 0; i -= 1) {
      const hold = this.#holdOf(idAt(view, i), tenant);
      hold.lastUse = lastUse;
      unlink(hold);
      append(hold);
    }
    while (this.#segments > this.#maxSegments) {
      this.evict(this.#largest().name, this.#segments - this.#maxSegments);
    }
  }

  /** Takes so many segments from a tenant, leaves first, the least recently used first. */
  evict(tenantName: string, segments: number): void {
    const tenant = this.#tenants.get(tenantName);
    for (let left = segments; left > 0 && tenant?.oldest !== undefined; left -= 1) {
      this.#drop(tenant.oldest);
    }
  }

  /** The same, but what was used at the same time goes together, even when that is more. */
  evictByLastUse(tenantName: string, segments: number): void {
    const tenant = this.#tenants.get(tenantName);
    if (tenant === undefined) return;
    const target = tenant.segments - segments;
    let lastUse = Number.NaN;
    while (tenant.oldest !== undefined) {
      if (tenant.segments <= target && tenant.oldest.lastUse !== lastUse) return;
      lastUse = tenant.oldest.lastUse;
      this.#drop(tenant.oldest);
    }
  }

  removeTenant(tenantName: string): void {
    this.evict(tenantName, Infinity);
    this.#tenants.delete(tenantName);
  }

  get tenantNames(): string[] {
    return [...this.#tenants.keys()];
  }

  #tenantOf(name: string): Tenant {
    let tenant = this.#tenants.get(name);
    if (tenant === undefined) {
      tenant = { name, segments: 0, oldest: undefined, newest: undefined };
      this.#tenants.set(name, tenant);
    }
    return tenant;
  }

  #holdOf(id: number, tenant: Tenant): Hold {
    let node = this.#nodes.get(id);
    if (node === undefined) {
      node = { id, holds: undefined };
      this.#nodes.set(id, node);
    }
    for (let hold = node.holds; hold !== undefined; hold = hold.nextOfNode) {
      if (hold.tenant === tenant) return hold;
    }
    const made: Hold = {
      node,
      tenant,
      lastUse: 0,
      nextOfNode: node.holds,
      older: undefined,
      newer: undefined,
    };
    node.holds = made;
    tenant.segments += 1;
    this.#segments += 1;
    return made;
  }

  #drop(hold: Hold): void {
    const { node, tenant } = hold;
    unlink(hold);
    tenant.segments -= 1;
    this.#segments -= 1;
    if (tenant.segments === 0) this.#tenants.delete(tenant.name);
    if (node.holds === hold) node.holds = hold.nextOfNode;
    for (let one = node.holds; one !== undefined; one = one.nextOfNode) {
      if (one.nextOfNode === hold) one.nextOfNode = hold.nextOfNode;
    }
    if (node.holds === undefined) this.#nodes.delete(node.id);
  }

  #largest(): Tenant {
    return [...this.#tenants.values()].reduce((a, b) => (b.segments > a.segments ? b : a));
  }
}

/** 53 bits of a key: a number is found faster than a string, and a clash does no harm but a bad guess. */
function idAt(view: DataView, segment: number): number {
  const at = segment * KEY_BYTES;
  return view.getUint32(at) * 2 ** 21 + (view.getUint32(at + 4) >>> 11);
}

function hasTenant(node: Node, among: ReadonlySet<string> | undefined): boolean {
  if (among === undefined) return true;
  for (let hold = node.holds; hold !== undefined; hold = hold.nextOfNode) {
    if (among.has(hold.tenant.name)) return true;
  }
  return false;
}

function tenantsOf(node: Node | undefined, among: ReadonlySet<string> | undefined): string[] {
  const holds: Hold[] = [];
  for (let hold = node?.holds; hold !== undefined; hold = hold.nextOfNode) {
    if (among === undefined || among.has(hold.tenant.name)) holds.push(hold);
  }
  return holds.sort((a, b) => b.lastUse - a.lastUse).map((hold) => hold.tenant.name);
}

function unlink(hold: Hold): void {
  const { tenant, older, newer } = hold;
  if (older !== undefined) older.newer = newer;
  else if (tenant.oldest === hold) tenant.oldest = newer;
  if (newer !== undefined) newer.older = older;
  else if (tenant.newest === hold) tenant.newest = older;
  hold.older = undefined;
  hold.newer = undefined;
}

function append(hold: Hold): void {
  const { tenant } = hold;
  hold.older = tenant.newest;
  if (tenant.newest !== undefined) tenant.newest.newer = hold;
  else tenant.oldest = hold;
  tenant.newest = hold;
}
