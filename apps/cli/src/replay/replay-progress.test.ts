import { expect, test } from 'vitest';
import { replayProgress } from './replay-progress.ts';

function written(isTty: boolean, settled: readonly number[]): string[] {
  const lines: string[] = [];
  const progress = replayProgress(2, 50, { write: (text) => void lines.push(text), isTty });
  for (const count of settled) progress.show(count);
  progress.end();
  return lines;
}

test('a bar on a terminal, gone at the end', () => {
  const lines = written(true, [0, 50, 100]);
  expect(lines.map((line) => line.replace('\r\x1b[K', ''))).toEqual([
    `${'░'.repeat(30)} 0 %  2 runs of 50 requests`,
    `${'█'.repeat(15)}${'░'.repeat(15)} 50 %  2 runs of 50 requests`,
    `${'█'.repeat(30)} 100 %  2 runs of 50 requests`,
    '',
  ]);
});

test('elsewhere a line at each quarter, however it is reached', () => {
  expect(written(false, [0, 10, 25, 26, 49, 80, 100])).toEqual([
    'replay: 25 % of 2 runs of 50 requests\n',
    'replay: 75 % of 2 runs of 50 requests\n',
    'replay: 100 % of 2 runs of 50 requests\n',
  ]);
});
