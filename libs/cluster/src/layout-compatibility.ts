import { layoutDigest, type KvLayout } from '@baton/kv';

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
  if (from.connector === '') return 'no connector moves its KV';
  if (from === to) return undefined;
  const nixl = from.connector === 'nixl' || from.connector === 'nixl-push';
  const fields = nixl ? always : [...always, ...unlessNixl];
  const differing = fields.find((field) => from[field] !== to[field]);
  if (differing !== undefined) return `${differing} differs`;
  if (nixl && from.blockTokens % to.blockTokens !== 0) {
    return 'blockTokens of the source is no multiple of the destination';
  }
  return undefined;
}

/** Numbers of layouts: equal ones have the same. */
const numbers = new Map<string, number>();
const numberOf = new WeakMap<KvLayout, number>();
/** Beyond so many different layouts numbers are given anew; equal ones may then differ for once. */
const MAX_NUMBERS = 4096;

/** A number by which layouts can be compared quickly: the same for equal ones. */
export function layoutNumber(layout: KvLayout): number {
  const known = numberOf.get(layout);
  if (known !== undefined) return known;
  const name = layoutDigest(layout);
  if (numbers.size >= MAX_NUMBERS) numbers.clear();
  const number = numbers.get(name) ?? nextNumber();
  numbers.set(name, number);
  numberOf.set(layout, number);
  return number;
}

let given = 0;
function nextNumber(): number {
  given += 1;
  return given;
}

/** Connectors that give an engine's KV to its agent. */
const ofAgents: ReadonlySet<string> = new Set(['baton', 'llama']);

/** Engines whose connector moves the KV of a handover by itself; elsewhere agents do, by order. */
export function enginesMoveKv({ connector }: KvLayout): boolean {
  return connector !== '' && !ofAgents.has(connector);
}

/** True when KV can go from one layout to the other. Not symmetric. */
export function canMoveKv(from: KvLayout, to: KvLayout): boolean {
  return layoutObstacle(from, to) === undefined;
}
