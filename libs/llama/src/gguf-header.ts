import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { hash } from 'node:crypto';
import { BatonError } from '@baton/kv';

/** What Baton reads from a GGUF file without libllama. */
export interface GgufHeader {
  /** Scalar metadata; arrays are left out. */
  metadata: Map<string, string | number | boolean>;
  /** Digest over header, size and samples of the weights: equal files have equal revisions. Hex, 32 digits. */
  modelRevision: string;
  /** Digest over all tokenizer metadata, the chat template included. Hex, 32 digits. */
  tokenization: string;
}

const FIRST_READ_BYTES = 8 << 20;
const MAX_HEADER_BYTES = 512 << 20;
const WEIGHT_SAMPLES = 64;
const SAMPLE_BYTES = 4096;
const MAX_ENTRIES = 1_000_000;
/** Bytes of a scalar by GGUF value type; 0 for the types of variable length. */
const SCALAR_BYTES = [1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8];
const STRING = 8;
const ARRAY = 9;

class HeaderTooShort extends Error {}
class HeaderDamaged extends Error {}

/**
 * Reads and checks the header of a model file.
 *
 * @throws BatonError model_file_missing or model_file_damaged, each one sentence that names the file.
 */
export function readGgufHeader(file: string): GgufHeader {
  let descriptor: number;
  try {
    descriptor = openSync(file, 'r');
  } catch (cause) {
    throw new BatonError('model_file_missing', `The model file ${file} cannot be opened.`, {
      cause,
      details: { file },
    });
  }
  try {
    const stat = fstatSync(descriptor);
    if (!stat.isFile()) throw new HeaderDamaged('it is not a regular file');
    return readFrom(descriptor, stat.size);
  } catch (cause) {
    if (cause instanceof BatonError) throw cause;
    const reason =
      cause instanceof HeaderTooShort
        ? 'it ends in the middle of its header'
        : cause instanceof Error
          ? cause.message
          : String(cause);
    throw new BatonError('model_file_damaged', `The model file ${file} is damaged: ${reason}.`, {
      cause,
      details: { file },
    });
  } finally {
    closeSync(descriptor);
  }
}

function readFrom(descriptor: number, fileBytes: number): GgufHeader {
  for (let want = FIRST_READ_BYTES; ; want *= 4) {
    const bytes = readAt(descriptor, 0, Math.min(want, fileBytes));
    try {
      const parsed = parse(bytes, fileBytes);
      const header = bytes.subarray(0, parsed.headerBytes);
      return {
        metadata: parsed.metadata,
        modelRevision: revision(descriptor, header, fileBytes),
        tokenization: digest(parsed.tokenizer),
      };
    } catch (error) {
      const more = want < fileBytes && want < MAX_HEADER_BYTES;
      if (!(error instanceof HeaderTooShort) || !more) throw error;
    }
  }
}

function readAt(descriptor: number, offset: number, sizeBytes: number): Buffer {
  const bytes = Buffer.alloc(sizeBytes);
  let at = 0;
  while (at < sizeBytes) {
    const got = readSync(descriptor, bytes, at, sizeBytes - at, offset + at);
    if (got === 0) throw new HeaderTooShort();
    at += got;
  }
  return bytes;
}

function digest(parts: Uint8Array[]): string {
  return hash('sha256', Buffer.concat(parts), 'hex').slice(0, 32);
}

function revision(descriptor: number, header: Buffer, fileBytes: number): string {
  const parts: Uint8Array[] = [header, Buffer.from(`size ${fileBytes}`)];
  const weights = fileBytes - header.length;
  for (let i = 0; i < WEIGHT_SAMPLES; i += 1) {
    const offset = header.length + Math.floor((weights * i) / WEIGHT_SAMPLES);
    parts.push(readAt(descriptor, offset, Math.min(SAMPLE_BYTES, fileBytes - offset)));
  }
  return digest(parts);
}

interface ParsedHeader {
  metadata: Map<string, string | number | boolean>;
  tokenizer: Uint8Array[];
  headerBytes: number;
}

function parse(bytes: Buffer, fileBytes: number): ParsedHeader {
  const reader = new Reader(bytes);
  if (bytes.toString('latin1', 0, 4) !== 'GGUF') throw new HeaderDamaged('it is not a GGUF file');
  reader.skip(4);
  const version = reader.u32();
  if (version < 2 || version > 3) throw new HeaderDamaged(`GGUF version ${version} is unknown`);
  const tensorCount = reader.count();
  const metadataCount = reader.count();
  const metadata: ParsedHeader['metadata'] = new Map();
  const tokenizer: Uint8Array[] = [];
  for (let i = 0; i < metadataCount; i += 1) {
    const start = reader.at;
    const key = reader.string();
    const value = reader.value(reader.u32());
    if (value !== undefined) metadata.set(key, value);
    if (key.startsWith('tokenizer.')) tokenizer.push(bytes.subarray(start, reader.at));
  }
  let lastOffset = -1;
  for (let i = 0; i < tensorCount; i += 1) {
    reader.skip(reader.u64());
    reader.skip(reader.u32() * 8 + 4);
    lastOffset = Math.max(lastOffset, reader.u64());
  }
  if (reader.at + lastOffset >= fileBytes) throw new HeaderDamaged('its weights are cut off');
  return { metadata, tokenizer, headerBytes: reader.at };
}

class Reader {
  at = 0;
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  skip(sizeBytes: number): number {
    const start = this.at;
    if (sizeBytes > this.#bytes.length - start) throw new HeaderTooShort();
    this.at += sizeBytes;
    return start;
  }

  u32(): number {
    return this.#bytes.readUInt32LE(this.skip(4));
  }

  u64(): number {
    const value = Number(this.#bytes.readBigUInt64LE(this.skip(8)));
    if (!Number.isSafeInteger(value)) throw new HeaderDamaged('a length in its header is absurd');
    return value;
  }

  count(): number {
    const value = this.u64();
    if (value > MAX_ENTRIES) throw new HeaderDamaged('a count in its header is absurd');
    return value;
  }

  string(): string {
    const sizeBytes = this.u64();
    const start = this.skip(sizeBytes);
    return this.#bytes.toString('utf8', start, start + sizeBytes);
  }

  value(type: number): string | number | boolean | undefined {
    if (type === STRING) return this.string();
    if (type === ARRAY) return this.#array();
    const sizeBytes = SCALAR_BYTES[type];
    if (sizeBytes === undefined) throw new HeaderDamaged(`value type ${type} is unknown`);
    return this.#scalar(type, this.skip(sizeBytes));
  }

  #scalar(type: number, at: number): number | boolean {
    const bytes = this.#bytes;
    switch (type) {
      case 0:
        return bytes.readUInt8(at);
      case 1:
        return bytes.readInt8(at);
      case 2:
        return bytes.readUInt16LE(at);
      case 3:
        return bytes.readInt16LE(at);
      case 4:
        return bytes.readUInt32LE(at);
      case 5:
        return bytes.readInt32LE(at);
      case 6:
        return bytes.readFloatLE(at);
      case 7:
        return bytes.readUInt8(at) !== 0;
      case 10:
        return Number(bytes.readBigUInt64LE(at));
      case 11:
        return Number(bytes.readBigInt64LE(at));
      default:
        return bytes.readDoubleLE(at);
    }
  }

  #array(): undefined {
    const type = this.u32();
    const count = this.u64();
    const sizeBytes = SCALAR_BYTES[type];
    if (sizeBytes === undefined) throw new HeaderDamaged(`value type ${type} is unknown`);
    if (sizeBytes > 0) {
      this.skip(count * sizeBytes);
    } else if (type === STRING) {
      for (let i = 0; i < count; i += 1) this.skip(this.u64());
    } else {
      throw new HeaderDamaged('it holds arrays of arrays');
    }
    return undefined;
  }
}
