import { expect, test } from 'vitest';
import { findingLines } from './worker-command.ts';

const found = {
  ...{ url: 'http://p:30000', serves: true, engine: 'sglang', version: '0.5.16', model: 'tiny' },
  ...{ blockTokens: 64, index: 'exact', connector: '', role: 'both', pairOnly: false },
};
const row = (findings: object, name: string): string | undefined =>
  findingLines(findings).find((line) => line.startsWith(name));

test('what of pairs works, and with one side of them that nothing else does', () => {
  expect(row(found, 'pairs')).toContain('it serves whole requests');
  const side = { ...found, connector: 'sglang-nixl', role: 'prefill', pairOnly: true };
  expect(row(side, 'pairs')).toBe(
    'pairs      yes, by sglang-nixl, as prefill side; never a whole request',
  );
  expect(row({ ...found, connector: 'nixl' }, 'pairs')).toBe('pairs      yes, by nixl');
});

test('that chats are refused is said, and nothing where they are taken', () => {
  expect(row(found, 'chats')).toBeUndefined();
  expect(row({ ...found, takesChats: true }, 'chats')).toBeUndefined();
  expect(row({ ...found, takesChats: false }, 'chats')).toContain('it serves completions');
});

test('one that is not served says why, and no more', () => {
  expect(findingLines({ ...found, serves: false, problem: 'it sleeps' })).toEqual([
    'engine     http://p:30000',
    'serves     no: it sleeps',
  ]);
});

test('with NixlConnector where it is met, and what it has read', () => {
  expect(row(found, 'moved')).toBeUndefined();
  const sideChannel = { host: '10.0.0.1', port: 5600 };
  const none = { transfers: 0, failedTransfers: 0, bytes: 0, seconds: 0 };
  const pair = { ...found, connector: 'nixl', sideChannel, moved: none };
  expect(row(pair, 'NIXL at')).toBe('NIXL at    10.0.0.1:5600');
  expect(row(pair, 'moved')).toBe('moved      nothing read yet');
  const problem = { ...sideChannel, problem: 'ECONNREFUSED' };
  expect(row({ ...pair, sideChannel: problem }, 'NIXL at')).toContain(
    'cannot be reached from here (ECONNREFUSED)',
  );
  const moved = { transfers: 4, failedTransfers: 1, bytes: 2e6, seconds: 0.5 };
  expect(row({ ...pair, moved }, 'moved')).toBe(
    'moved      2 MB read in 4 transfers, 4 MB/s, 1 failed',
  );
});

test('how long blocks are, and that it is assumed where the engine does not say', () => {
  expect(row(found, 'blocks')).toBe('blocks     64 tokens');
  const assumed = { ...found, blockTokens: undefined, blockTokensAssumed: true };
  expect(row(assumed, 'blocks')).toContain('16 tokens, which is assumed');
});
