import { expect, test } from 'vitest';
import { isWorkerId } from './worker-id.ts';

test.each(['prefill-1', 'a', '_', 'W_0', 'x'.repeat(64)])('%j may be the id of a worker', (id) => {
  expect(isWorkerId(id)).toBe(true);
});

test.each(['', 'x'.repeat(65), 'a.b', 'a*', '>', 'a b', 'a/b', 'ä', 'a\n'])(
  '%j may not: it would mean something to NATS or to a file system',
  (id) => {
    expect(isWorkerId(id)).toBe(false);
  },
);
