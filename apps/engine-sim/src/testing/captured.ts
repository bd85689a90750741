import { readFileSync } from 'node:fs';

const folder = new URL('../../../../test/fixtures/vllm-0.32.0/', import.meta.url);

/** A file of what a real vLLM sent. */
export function capturedText(file: string): string {
  return readFileSync(new URL(file, folder), 'utf8');
}

export function capturedJson<T>(file: string): T {
  return JSON.parse(capturedText(file)) as T;
}

/** Third frames of a capture of KV events. */
export function capturedBatches(file: string): Buffer[] {
  return capturedText(file)
    .trim()
    .split('\n')
    .map((line) => {
      const { frames_hex } = JSON.parse(line) as { frames_hex: string[] };
      return Buffer.from(frames_hex[2] ?? '', 'hex');
    });
}

/** Names of fields in their order and types of values: what two answers of one kind have in common. */
export function shapeOf(value: unknown): unknown {
  if (value === null) return 'null';
  if (Array.isArray(value)) return value.length === 0 ? [] : [shapeOf(value[0])];
  if (typeof value !== 'object') return typeof value;
  return Object.entries(value).map(([name, of]) => [name, shapeOf(of)]);
}
