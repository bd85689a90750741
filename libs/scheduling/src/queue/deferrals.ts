import { Heap } from './heap.ts';

interface Deferral<T> {
  item: T;
  untilMs: number;
  what: string;
}

/** Those whose turn has to wait for something or for a time, whichever comes first. */
export class Deferrals<T extends object> {
  readonly #byItem = new Map<T, Deferral<T>>();
  readonly #byWhat = new Map<string, Set<Deferral<T>>>();
  readonly #byTime = new Heap<Deferral<T>>((a, b) => a.untilMs < b.untilMs);

  has(item: T): boolean {
    return this.#byItem.has(item);
  }

  /** Infinity when nobody waits for a time. */
  get nextAtMs(): number {
    return this.#byTime.first?.untilMs ?? Infinity;
  }

  add(item: T, untilMs: number, what: string): void {
    const deferral = { item, untilMs, what };
    this.#byItem.set(item, deferral);
    this.#byTime.add(deferral);
    const same = this.#byWhat.get(what);
    if (same === undefined) this.#byWhat.set(what, new Set([deferral]));
    else same.add(deferral);
  }

  delete(item: T): void {
    const deferral = this.#byItem.get(item);
    if (deferral === undefined) return;
    this.#byItem.delete(item);
    this.#byTime.remove(deferral);
    const same = this.#byWhat.get(deferral.what);
    same?.delete(deferral);
    if (same?.size === 0) this.#byWhat.delete(deferral.what);
  }

  /** One that need not wait any longer, at this time or because this has come. */
  over(nowMs: number, what: string | undefined): T | undefined {
    const first = this.#byTime.first;
    if (first !== undefined && first.untilMs <= nowMs) return first.item;
    const [same] = (what === undefined ? undefined : this.#byWhat.get(what)) ?? [];
    return same?.item;
  }
}
