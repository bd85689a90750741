import { closeSync, openSync, renameSync, writeSync } from 'node:fs';

/** GGUF value types that the writer knows. */
const TYPE = { u32: 4, i32: 5, f32: 6, bool: 7, string: 8, array: 9 } as const;
const ALIGNMENT = 32;
const GGML_TYPE_F32 = 0;

export type GgufValue =
  | { type: 'u32' | 'i32' | 'f32'; value: number }
  | { type: 'bool'; value: boolean }
  | { type: 'string'; value: string }
  | { type: 'array'; of: 'i32' | 'f32' | 'string'; values: readonly (number | string)[] };

export interface GgufTensor {
  name: string;
  /** Innermost first. */
  dimensions: readonly number[];
  /** Called once, when its turn to be written comes. */
  fill: (values: Float32Array) => void;
}

/** Writes a GGUF file of 32-bit floats, under a temporary name until it is whole. */
export function writeGguf(
  file: string,
  metadata: readonly (readonly [string, GgufValue])[],
  tensors: readonly GgufTensor[],
): void {
  const temporary = `${file}.${process.pid}.part`;
  const descriptor = openSync(temporary, 'w');
  try {
    const head = header(metadata, tensors);
    writeAll(descriptor, padded(head));
    for (const tensor of tensors) {
      const values = new Float32Array(elements(tensor));
      tensor.fill(values);
      writeAll(descriptor, padded(Buffer.from(values.buffer)));
    }
  } finally {
    closeSync(descriptor);
  }
  renameSync(temporary, file);
}

function writeAll(descriptor: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at);
}

function header(
  metadata: readonly (readonly [string, GgufValue])[],
  tensors: readonly GgufTensor[],
): Buffer {
  const parts = [Buffer.from('GGUF'), u32(3), u64(tensors.length), u64(metadata.length)];
  for (const [key, value] of metadata) {
    parts.push(string(key), u32(TYPE[value.type]), encode(value));
  }
  let offset = 0;
  for (const tensor of tensors) {
    parts.push(string(tensor.name), u32(tensor.dimensions.length));
    parts.push(...tensor.dimensions.map(u64), u32(GGML_TYPE_F32), u64(offset));
    offset += Math.ceil((elements(tensor) * 4) / ALIGNMENT) * ALIGNMENT;
  }
  return Buffer.concat(parts);
}

function elements(tensor: GgufTensor): number {
  return tensor.dimensions.reduce((product, size) => product * size, 1);
}

function padded(bytes: Buffer): Buffer {
  const rest = bytes.length % ALIGNMENT;
  return rest === 0 ? bytes : Buffer.concat([bytes, Buffer.alloc(ALIGNMENT - rest)]);
}

function encode(value: GgufValue): Buffer {
  if (value.type !== 'array') return scalar(value.type, value.value);
  return Buffer.concat([
    u32(TYPE[value.of]),
    u64(value.values.length),
    ...value.values.map((item) => scalar(value.of, item)),
  ]);
}

function scalar(
  type: Exclude<GgufValue['type'], 'array'>,
  value: number | string | boolean,
): Buffer {
  if (type === 'string') return string(String(value));
  if (type === 'bool') return Buffer.from([value === true ? 1 : 0]);
  const bytes = Buffer.alloc(4);
  if (type === 'f32') bytes.writeFloatLE(Number(value));
  else if (type === 'i32') bytes.writeInt32LE(Number(value));
  else bytes.writeUInt32LE(Number(value));
  return bytes;
}

function u32(value: number): Buffer {
  return scalar('u32', value);
}

function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

function string(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([u64(bytes.length), bytes]);
}
