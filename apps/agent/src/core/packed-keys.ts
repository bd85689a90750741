import { KEY_BYTES } from '@baton/kv';

/** Hex keys of a packed list. */
export function hexKeys(packed: Uint8Array | null | undefined): string[] {
  if (!packed || packed.length % KEY_BYTES !== 0) return [];
  const hex = Buffer.from(packed.buffer, packed.byteOffset, packed.length).toString('hex');
  const digits = KEY_BYTES * 2;
  return Array.from({ length: packed.length / KEY_BYTES }, (_, i) =>
    hex.slice(i * digits, (i + 1) * digits),
  );
}

export function packHex(keys: readonly string[]): Uint8Array {
  return Buffer.from(keys.join(''), 'hex');
}
