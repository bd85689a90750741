import { hash } from 'node:crypto';

/**
 * What the KV bytes look like. Whether two workers may exchange KV is decided by @baton/cluster
 * from two of these.
 */
export interface KvLayout {
  /** Identity of the weights (hex digest). */
  modelRevision: string;
  dtype: string;
  layers: number;
  /** Tensor-parallel ranks that share one segment. */
  ranks: number;
  /** Tokens of one engine block. */
  blockTokens: number;
  connector: string;
  connectorVersion: string;
  bytesPerToken: number;
  /** Payload of one whole segment, bytes. */
  segmentBytes: number;
}

/**
 * Hex digest of a layout; agents compare it before bytes move. Equal layouts have equal digests.
 */
export function layoutDigest(layout: KvLayout): string {
  const fields = [
    layout.modelRevision,
    layout.dtype,
    layout.layers,
    layout.ranks,
    layout.blockTokens,
    layout.connector,
    layout.connectorVersion,
    layout.bytesPerToken,
    layout.segmentBytes,
  ];
  return hash('sha256', JSON.stringify(['baton-layout-v1', ...fields]), 'hex').slice(0, 32);
}
