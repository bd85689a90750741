import { Heap } from './heap.ts';

/** Prompt tokens that a tenant may have served in one turn. */
export const QUANTUM_TOKENS = 8192;

interface Tenant<T extends object> {
  items: Heap<T>;
  /** Waiting, but not for a turn. */
  aside: Set<T>;
  /** Tokens that it may still be served before others have their turn. */
  credit: number;
}

/**
 * Shares turns between tenants by deficit round robin in tokens: each may be served `QUANTUM_TOKENS`
 * in a turn, and what it takes beyond that it pays back in later ones. Within a tenant an order counts.
 */
export class TenantTurns<T extends object> {
  readonly #isBefore: (a: T, b: T) => boolean;
  /** Those who wait; the first one has its turn. */
  readonly #tenants = new Map<string, Tenant<T>>();

  constructor(isBefore: (a: T, b: T) => boolean) {
    this.#isBefore = isBefore;
  }

  add(name: string, item: T): void {
    let tenant = this.#tenants.get(name);
    if (tenant === undefined) {
      tenant = { items: new Heap(this.#isBefore), aside: new Set(), credit: QUANTUM_TOKENS };
      this.#tenants.set(name, tenant);
    }
    tenant.aside.delete(item);
    tenant.items.add(item);
  }

  /** A tenant that waits for nothing has neither credit nor debt. */
  remove(name: string, item: T): void {
    const tenant = this.#tenants.get(name);
    if (tenant === undefined) return;
    if (!tenant.aside.delete(item)) tenant.items.remove(item);
    if (tenant.items.size === 0 && tenant.aside.size === 0) this.#tenants.delete(name);
  }

  /** It gets no turn until it is added again; its tenant keeps what it owes. */
  setAside(name: string, item: T): void {
    const tenant = this.#tenants.get(name);
    tenant?.items.remove(item);
    tenant?.aside.add(item);
  }

  moved(name: string, item: T): void {
    this.#tenants.get(name)?.items.moved(item);
  }

  charge(name: string, tokens: number): void {
    const tenant = this.#tenants.get(name);
    if (tenant !== undefined) tenant.credit -= tokens;
  }

  /** The first ones of the tenant whose turn it is, at most so many. */
  first(count: number): T[] {
    for (let without = 0; without < this.#tenants.size;) {
      const [turn] = this.#tenants;
      if (turn === undefined) break;
      const [name, tenant] = turn;
      const isIdle = tenant.items.size === 0;
      if (!isIdle && this.#isAlone(tenant)) tenant.credit = QUANTUM_TOKENS;
      if (!isIdle && tenant.credit > 0) return tenant.items.least(count);
      if (!isIdle) tenant.credit += QUANTUM_TOKENS;
      without = isIdle ? without + 1 : 0;
      this.#tenants.delete(name);
      this.#tenants.set(name, tenant);
    }
    return [];
  }

  /** Nobody else wants a turn. */
  #isAlone(tenant: Tenant<T>): boolean {
    for (const other of this.#tenants.values()) {
      if (other !== tenant && other.items.size > 0) return false;
    }
    return true;
  }
}
