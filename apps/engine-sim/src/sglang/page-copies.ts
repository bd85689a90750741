import type { SglangEvent } from '@baton/engine-protocols';
import type { BlockName } from '../cache/block-names.ts';
import type { PoolEvent } from '../engine/sim-engine.ts';
import { highBits } from './page-names.ts';

/**
 * What happened to a cache, as SGLang's events say it: a page each, and a page that is there twice counts once, as in a
 * tree of prefixes.
 */
export class PageCopies {
  readonly #blockTokens: number;
  readonly #copies = new Map<BlockName, number>();

  constructor(blockTokens: number) {
    this.#blockTokens = blockTokens;
  }

  events(happened: readonly PoolEvent[]): SglangEvent[] {
    const events: SglangEvent[] = [];
    for (const event of happened) {
      if (event.type === 'cleared') {
        this.#copies.clear();
        events.push({ type: 'AllBlocksCleared' });
      } else if (event.type === 'removed') {
        if (this.#count(event.name, -1) === 0) {
          events.push({ type: 'BlockRemoved', hash: highBits(event.name) });
        }
      } else events.push(...this.#stored(event));
    }
    return events;
  }

  #stored({ names, parent, tokens, chain }: Extract<PoolEvent, { type: 'stored' }>): SglangEvent[] {
    return names.flatMap((name, i) => {
      if (this.#count(name, 1) !== 1) return [];
      const before = names[i - 1] ?? parent;
      const from = i * this.#blockTokens;
      const stored: SglangEvent = {
        type: 'BlockStored',
        hash: highBits(name),
        parent: before === undefined ? null : highBits(before),
        tokenIds: tokens.slice(from, from + this.#blockTokens),
        salt: chain.salt,
      };
      return [stored];
    });
  }

  /** How many there are then. */
  #count(name: BlockName, change: 1 | -1): number {
    const count = (this.#copies.get(name) ?? 0) + change;
    if (count > 0) this.#copies.set(name, count);
    else this.#copies.delete(name);
    return count;
  }
}
