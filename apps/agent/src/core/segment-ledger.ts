import { KEY_BYTES, Tier, xorKeys } from '@baton/kv';
import { packHex } from './packed-keys.ts';

export type LedgerOpKind = 'store' | 'remove' | 'clear';

export interface LedgerOp {
  kind: LedgerOpKind;
  tier: Tier;
  /** Hex keys. */
  keys: string[];
}

export interface LedgerTier {
  segments: number;
  /** XOR of all held keys. */
  xor: Uint8Array;
}

interface TierBook {
  held: Set<string>;
  xor: Uint8Array;
}

/**
 * What this worker holds in which tier, and what of it has not been told yet. Count and XOR are those of everything
 * held, told or not; whoever publishes them drains first.
 */
export class SegmentLedger {
  readonly #tiers = new Map<Tier, TierBook>();
  readonly #onChange: () => void;
  #pending: LedgerOp[] = [];

  constructor(tiers: readonly Tier[], onChange: () => void) {
    for (const tier of tiers) {
      this.#tiers.set(tier, { held: new Set(), xor: new Uint8Array(KEY_BYTES) });
    }
    this.#onChange = onChange;
  }

  get tierList(): Tier[] {
    return [...this.#tiers.keys()];
  }

  has(tier: Tier, key: string): boolean {
    return this.#tiers.get(tier)?.held.has(key) ?? false;
  }

  store(tier: Tier, key: string): void {
    const book = this.#tiers.get(tier);
    if (!book || book.held.has(key)) return;
    book.held.add(key);
    xorKeys(packHex([key]), book.xor);
    this.#append('store', tier, key);
  }

  remove(tier: Tier, key: string): void {
    const book = this.#tiers.get(tier);
    if (!book?.held.delete(key)) return;
    xorKeys(packHex([key]), book.xor);
    this.#append('remove', tier, key);
  }

  clear(tier: Tier): void {
    const book = this.#tiers.get(tier);
    if (!book) return;
    book.held.clear();
    book.xor.fill(0);
    this.#pending = this.#pending.filter((op) => op.tier !== tier);
    this.#pending.push({ kind: 'clear', tier, keys: [] });
    this.#onChange();
  }

  tier(tier: Tier): LedgerTier {
    const book = this.#tiers.get(tier);
    return { segments: book?.held.size ?? 0, xor: Uint8Array.from(book?.xor ?? []) };
  }

  /** Hex keys held in a tier now. */
  keys(tier: Tier): string[] {
    return [...(this.#tiers.get(tier)?.held ?? [])];
  }

  /** What is to be told next, at most `maxKeys` keys; empty when everything is told. */
  drain(maxKeys: number): LedgerOp[] {
    const ops: LedgerOp[] = [];
    let room = maxKeys;
    while (room > 0) {
      const op = this.#pending[0];
      if (!op) break;
      if (op.keys.length > room) {
        ops.push({ ...op, keys: op.keys.splice(0, room) });
        break;
      }
      ops.push(op);
      this.#pending.shift();
      room -= Math.max(op.keys.length, 1);
    }
    return ops;
  }

  #append(kind: LedgerOpKind, tier: Tier, key: string): void {
    const last = this.#pending.at(-1);
    if (last?.kind === kind && last.tier === tier) last.keys.push(key);
    else this.#pending.push({ kind, tier, keys: [key] });
    this.#onChange();
  }
}
