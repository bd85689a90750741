import { expect, test } from 'vitest';
import { readTokenizeAnswer } from './index.ts';

test('an answer of /tokenize is read, one that contradicts itself is not', () => {
  const answer = { count: 2, max_model_len: 8, tokens: [1, 0], token_strs: null };
  expect(readTokenizeAnswer(answer)).toEqual({ count: 2, max_model_len: 8, tokens: [1, 0] });
  for (const change of [{ count: 3 }, { tokens: [1, -1] }, { tokens: 'x' }]) {
    expect(readTokenizeAnswer({ ...answer, ...change })).toBeUndefined();
  }
  for (const nonsense of [0, -1, 1e30, null]) {
    const read = readTokenizeAnswer({ ...answer, max_model_len: nonsense });
    expect(read).toMatchObject({ count: 2, max_model_len: 0 });
  }
  expect(readTokenizeAnswer(null)).toBeUndefined();
});
