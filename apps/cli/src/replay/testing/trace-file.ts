import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder that is gone when the test is over. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'replay-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A file in such a folder. */
export function temporaryFile(name: string, text: string): string {
  const file = path.join(temporaryFolder(), name);
  writeFileSync(file, text);
  return file;
}

/** One line of a trace: by default three blocks, the last one with one token. */
export function traceLine(changes: object = {}): string {
  const line = { timestamp: 0, input_length: 1025, output_length: 4, hash_ids: [0, 1, 2] };
  return JSON.stringify({ ...line, ...changes });
}

/** Requests that share their first block, one each 100 ms. */
export function smallTrace(requests: number): string {
  const lines = Array.from({ length: requests }, (_, i) =>
    traceLine({ timestamp: i * 100, hash_ids: [0, 2 * i + 1, 2 * i + 2] }),
  );
  return `${lines.join('\n')}\n`;
}
