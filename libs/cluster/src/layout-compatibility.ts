import type { KvLayout } from '@baton/kv';

/** Must be equal whatever the connector: otherwise the bytes mean something else. */
const always = ['modelRevision', 'dtype', 'layers', 'connector', 'connectorVersion'] as const;
/** Must be equal, too, for connectors that move segments as they are. */
const unlessNixl = ['ranks', 'blockTokens', 'bytesPerToken', 'segmentBytes'] as const;

/**
 * Why KV cannot go from one layout to the other, naming the field; undefined when it can. NIXL
 * converts between tensor-parallel sizes and lets prefill have blocks that are a multiple of
 * decode's; all others need equal bytes.
 */
export function layoutObstacle(from: KvLayout, to: KvLayout): string | undefined {
  const nixl = from.connector === 'nixl';
  const fields = nixl ? always : [...always, ...unlessNixl];
  const differing = fields.find((field) => from[field] !== to[field]);
  if (differing !== undefined) return `${differing} differs`;
  if (nixl && from.blockTokens % to.blockTokens !== 0) {
    return 'blockTokens of the source is no multiple of the destination';
  }
  return undefined;
}

/** True when KV can go from one layout to the other. Not symmetric. */
export function canMoveKv(from: KvLayout, to: KvLayout): boolean {
  return layoutObstacle(from, to) === undefined;
}
