import path from 'node:path';
import type { TraceRequest } from '@baton/sim';
import { expect, test } from 'vitest';
import { temporaryFile, temporaryFolder } from '../replay/testing/trace-file.ts';
import { runBaton, type Ran } from '../testing/run-baton.ts';
import type { PromptAnalysis } from './prompt-analysis.ts';
import { BLOCK, builtLog, prompts, textOf } from './testing/built-log.ts';

const runPrompts = (...args: string[]): Promise<Ran> => runBaton(['prompts', ...args]);

function logFile(requests: readonly TraceRequest[]): string {
  const lines = requests.map(({ atMs, promptTokens, outputTokens, blocks, contentIds }) =>
    JSON.stringify({
      ...{ timestamp: 1_000 - atMs, input_length: promptTokens, output_length: outputTokens },
      ...{ hash_ids: blocks, block_tokens: BLOCK, content_ids: contentIds },
    }),
  );
  return temporaryFile('log.jsonl', `${lines.join('\n')}\n`);
}

const stamped = prompts(20, (i) => [`it is ${i}`, ...textOf('system', 4), `question ${i}`]);

test('tables: the break, what is behind it, what is shared', async () => {
  const shared = prompts(20, (i) => ['b', `id ${i}`, ...(i < 3 ? ['x', 'y'] : ['x', `own ${i}`])]);
  const ran = await runPrompts('--trace', logFile(builtLog([...stamped, ...shared])));
  expect(ran.stderr).toBe('');
  const lines = ran.stdout.split('\n').map((line) => line.trim().replace(/ {2,}/g, ' | '));
  expect(lines).toEqual([
    '40 requests, 20 000 prompt tokens in 200 blocks of 100',
    'found again in a cache without limit: 19 blocks (9.5 %), 1 900 tokens',
    '',
    'Where shared prefixes break',
    'at token | requests | ways on | tokens behind | computed | e.g. line | behind what differs',
    '0 | 20 | 20 | 10 000 | 10 000 | 1 | 4 blocks from token 100 the same in 100 %: 7 600 tokens could be reused',
    '100 | 20 | 20 | 4 000 | 4 000 | 21 | 1 block from token 200 the same in 100 %: 1 900 tokens could be reused',
    '',
    'What is shared most',
    'tokens | requests | tokens reused | e.g. line',
    '0 to 100 | 20 | 1 900 | 21',
    '',
  ]);
});

test('a log without content_ids says what it cannot tell', async () => {
  const file = logFile(builtLog(stamped, { hasContent: false }));
  const { stdout } = await runPrompts('--trace', file);
  expect(stdout).toMatch(/ unknown\nThis log has no content_ids: .*\(docs\/lab\.md\)\.\n/);
  expect(stdout).toContain('No two requests share a block.');
  const few = await runPrompts('--trace', file, '--min-requests', '21');
  expect(few.stdout).toContain('Nowhere do many requests share a prefix, part and go on.');
});

test('JSON', async () => {
  const ran = await runPrompts('--trace', logFile(builtLog(stamped)), '--json');
  const analysis = JSON.parse(ran.stdout) as PromptAnalysis;
  expect(analysis).toMatchObject({
    ...{ requests: 20, requestsWithContent: 20, blockTokens: 100, blocks: 120, sharedBlocks: 0 },
    breaks: [{ atToken: 0, behind: { reusableTokens: 7_600 } }],
    sharedPrefixes: [],
  });
});

test('what cannot be read is named', async () => {
  const missing = path.join(temporaryFolder(), 'none.jsonl');
  const ran = await runPrompts('--trace', missing);
  expect(ran).toMatchObject({ code: 1, stderr: `--trace ${missing}: there is no such file.\n` });
  const broken = temporaryFile('log.jsonl', '{"timestamp":1,"input_length":1,"output_length":1}');
  const { stderr } = await runPrompts('--trace', broken);
  expect(stderr).toBe('line 1 of the trace: hash_ids is missing\n');
  expect((await runPrompts('--trace', broken, '--top', '0')).stderr).toContain('--top must be');
});
