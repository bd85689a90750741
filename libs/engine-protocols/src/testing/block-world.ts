import { createHash } from 'node:crypto';
import type { KeyScope } from '@baton/kv';
import fc from 'fast-check';
import type { BlockHash } from './engine-messages.ts';

export const WORLD_TOKENIZATION = 'tok';

const scopes: KeyScope[] = [
  { tokenization: WORLD_TOKENIZATION },
  { tokenization: WORLD_TOKENIZATION, salt: 'tenant-a' },
  { tokenization: WORLD_TOKENIZATION, adapter: 'sql' },
];

/** A block that an engine may speak of. */
export interface WorldBlock {
  hash: BlockHash;
  name: string;
  /** Place of the block before it in the world; -1 at the start of a chain. */
  parent: number;
  scope: KeyScope;
  tokens: number[];
}

export interface BlockChoice {
  parent: number;
  scope: number;
  seed: number;
}

/** After the block that was made last, so that chains grow long. */
const LAST = -1;

export const choices = fc.array(
  fc.record({
    parent: fc.oneof(fc.nat(63), fc.constant(LAST)),
    scope: fc.nat(scopes.length - 1),
    seed: fc.nat(1),
  }),
  { minLength: 1, maxLength: 40 },
);

/** A forest of blocks with few different contents, so that chains part inside of segments and begin alike. */
export function blockWorld(
  chosen: readonly BlockChoice[],
  blockTokens: number,
  asBytes: boolean,
): WorldBlock[] {
  const world = new Map<string, WorldBlock>();
  for (const { parent, scope, seed } of chosen) {
    const list = [...world.values()];
    const at = parent === LAST ? list.length - 1 : (parent % (list.length + 1)) - 1;
    const before = list[at];
    const rootScope = before?.scope ?? scopes[scope] ?? { tokenization: WORLD_TOKENIZATION };
    const tokens = Array.from({ length: blockTokens }, (_, i) => seed * 70_000 + i);
    const digest = createHash('sha256')
      .update(JSON.stringify([before?.name ?? rootScope, tokens]))
      .digest();
    const name = digest.toString('hex');
    const hash = asBytes ? new Uint8Array(digest) : digest.readBigUInt64BE();
    if (!world.has(name)) world.set(name, { hash, name, parent: at, scope: rootScope, tokens });
  }
  return [...world.values()];
}

/** The last blocks of the chain up to one of them, at most `length`. */
export function runUpTo(world: readonly WorldBlock[], at: number, length: number): WorldBlock[] {
  const run: WorldBlock[] = [];
  for (let i = at % world.length; i >= 0 && run.length < length;) {
    const block = world[i] as WorldBlock;
    run.unshift(block);
    i = block.parent;
  }
  return run;
}
