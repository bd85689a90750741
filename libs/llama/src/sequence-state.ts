/**
 * The bytes in which libllama gives the KV of one sequence: a header (magic, sequence, streams, cells), 12 bytes for
 * each cell (position, number of sequences, sequence), then for each layer all rows of K and V. Only the part that
 * libllama would believe without a check is read here.
 */
export interface StateLayout {
  magic: number;
  /** A state of n cells has `baseBytes` + n × `cellBytes` bytes. */
  baseBytes: number;
  cellBytes: number;
  /** 1 when values are stored transposed. */
  transposed: number;
  layers: number;
}

const HEADER_BYTES = 16;
const CELL_META_BYTES = 12;

export function stateBytes(layout: StateLayout, cells: number): number {
  return layout.baseBytes + cells * layout.cellBytes;
}

/** The layout of a context, from its states of one and of two cells. */
export function readStateLayout(one: Uint8Array, twoBytes: number): StateLayout {
  const view = new DataView(one.buffer, one.byteOffset, one.byteLength);
  const cellBytes = twoBytes - one.length;
  return {
    magic: view.getUint32(0, true),
    baseBytes: one.length - cellBytes,
    cellBytes,
    transposed: view.getUint32(HEADER_BYTES + CELL_META_BYTES, true),
    layers: view.getUint32(HEADER_BYTES + CELL_META_BYTES + 4, true),
  };
}

/**
 * Why these bytes are not the KV of exactly the positions `from` (inclusive) to `to` (exclusive), or undefined. libllama
 * takes positions from the bytes as they are, so wrong ones must not reach it. Damaged rows cannot be seen here: that
 * is what the checksum of a segment is for.
 */
export function stateFault(
  layout: StateLayout,
  bytes: Uint8Array,
  from: number,
  to: number,
): string | undefined {
  const cells = to - from;
  const expected = stateBytes(layout, cells);
  if (bytes.length !== expected) return `${bytes.length} bytes instead of ${expected}`;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(0, true) !== layout.magic) return 'no KV state';
  if (view.getUint32(8, true) !== 1) return 'more than one stream';
  if (view.getUint32(12, true) !== cells) return 'another number of cells';
  const seen = new Uint8Array(cells);
  for (let i = 0; i < cells; i += 1) {
    const at = HEADER_BYTES + i * CELL_META_BYTES;
    const offset = view.getInt32(at, true) - from;
    if (offset < 0 || offset >= cells || seen[offset] === 1) return 'wrong positions';
    if (view.getUint32(at + 4, true) !== 1) return 'a cell of several sequences';
    seen[offset] = 1;
  }
  const after = HEADER_BYTES + cells * CELL_META_BYTES;
  if (view.getUint32(after, true) !== layout.transposed) return 'values in another order';
  if (view.getUint32(after + 4, true) !== layout.layers) return 'another number of layers';
  return undefined;
}
