import { SpecKind } from './event-fields.ts';
import { ENGINE_TIERS } from './engine-tiers.ts';
import { SmallCounts } from './small-counts.ts';

/** What an engine's group of layers says of a sequence; see {@link SpecKind}. */
export type GroupRole = 'full' | 'window' | 'state' | 'other';

/**
 * The physical copies that one group of layers has of each block, by tier. Engines announce every copy; a block is in a
 * tier while one of them is.
 */
export class GroupCopies {
  readonly index: number;
  role: GroupRole;
  specKind: number;
  windowTokens = 0;
  /** Tokens of one of its blocks; 0 as long as it has not said. */
  blockTokens = 0;
  /** For each block the set of tiers with a copy. */
  tiers: Uint8Array;
  readonly #counts: SmallCounts;

  constructor(index: number, specKind: number, capacity: number) {
    this.index = index;
    this.specKind = specKind;
    this.role = roleOf(index, specKind);
    this.tiers = new Uint8Array(capacity);
    this.#counts = new SmallCounts(capacity * ENGINE_TIERS);
  }

  /** Room for as many blocks as there are. */
  reserve(capacity: number): void {
    if (this.tiers.length >= capacity) return;
    const tiers = new Uint8Array(capacity);
    tiers.set(this.tiers);
    this.tiers = tiers;
    this.#counts.grow(capacity * ENGINE_TIERS);
  }

  copies(block: number, tier: number): number {
    return this.#counts.get(block * ENGINE_TIERS + tier);
  }

  has(block: number, tier: number): boolean {
    return ((this.tiers[block] as number) & (1 << tier)) !== 0;
  }

  /** One copy more; true when it is the first one. */
  add(block: number, tier: number): boolean {
    if (this.#counts.add(block * ENGINE_TIERS + tier) > 1) return false;
    this.tiers[block] = (this.tiers[block] as number) | (1 << tier);
    return true;
  }

  /** One copy of at least one less; true when it was the last one. */
  take(block: number, tier: number): boolean {
    if (this.#counts.take(block * ENGINE_TIERS + tier) > 0) return false;
    this.tiers[block] = (this.tiers[block] as number) & ~(1 << tier);
    return true;
  }

  /** No copy any more; true when there was one. */
  clear(block: number, tier: number): boolean {
    if (!this.has(block, tier)) return false;
    this.#counts.clear(block * ENGINE_TIERS + tier);
    this.tiers[block] = (this.tiers[block] as number) & ~(1 << tier);
    return true;
  }
}

/** Only full attention may claim KV; engines that name no kind have one group. */
export function roleOf(index: number, specKind: number): GroupRole {
  switch (specKind) {
    case SpecKind.FULL:
      return 'full';
    case SpecKind.WINDOW:
      return 'window';
    case SpecKind.STATE:
      return 'state';
    case SpecKind.ABSENT:
      return index === 0 ? 'full' : 'other';
    default:
      return 'other';
  }
}
