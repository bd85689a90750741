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
  /** Copies beyond the first; there are none before the first such copy. */
  #more: SmallCounts | undefined;

  constructor(index: number, specKind: number, capacity: number) {
    this.index = index;
    this.specKind = specKind;
    this.role = roleOf(index, specKind);
    this.tiers = new Uint8Array(capacity);
  }

  /** Room for as many blocks as there are. */
  reserve(capacity: number): void {
    if (this.tiers.length >= capacity) return;
    const tiers = new Uint8Array(capacity);
    tiers.set(this.tiers);
    this.tiers = tiers;
    this.#more?.grow(capacity * ENGINE_TIERS);
  }

  copies(block: number, tier: number): number {
    if (!this.has(block, tier)) return 0;
    return 1 + (this.#more?.get(block * ENGINE_TIERS + tier) ?? 0);
  }

  has(block: number, tier: number): boolean {
    return ((this.tiers[block] as number) & (1 << tier)) !== 0;
  }

  /** One copy more; true when it is the first one. */
  add(block: number, tier: number): boolean {
    if (!this.has(block, tier)) {
      this.tiers[block] = (this.tiers[block] as number) | (1 << tier);
      return true;
    }
    this.#more ??= new SmallCounts(this.tiers.length * ENGINE_TIERS);
    this.#more.add(block * ENGINE_TIERS + tier);
    return false;
  }

  /** One copy of at least one less; true when it was the last one. */
  take(block: number, tier: number): boolean {
    const at = block * ENGINE_TIERS + tier;
    if (this.#more !== undefined && this.#more.get(at) > 0) {
      this.#more.take(at);
      return false;
    }
    this.tiers[block] = (this.tiers[block] as number) & ~(1 << tier);
    return true;
  }

  /** No copy any more; true when there was one. */
  clear(block: number, tier: number): boolean {
    if (!this.has(block, tier)) return false;
    this.#more?.clear(block * ENGINE_TIERS + tier);
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
