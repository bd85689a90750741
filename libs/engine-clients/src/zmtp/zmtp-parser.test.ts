import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ZmtpParser } from './zmtp-parser.ts';
import { zmtpGreeting } from './zmtp-wire.ts';

const MAX_MESSAGE = 1_000;

/** Parses bytes that come in pieces of these sizes, over and over. */
function parse(bytes: Buffer, pieces: readonly number[] = [bytes.length]) {
  const heard: string[] = [];
  const text = (frames: readonly Buffer[]) => frames.map((frame) => frame.toString('latin1'));
  const parser = new ZmtpParser(
    {
      greeting: () => void heard.push('greeting'),
      command: (body) => void heard.push(`command ${body.toString('latin1')}`),
      message: (frames) => void heard.push(JSON.stringify(text(frames))),
      oversized: (frames) => void heard.push(`oversized ${JSON.stringify(text(frames))}`),
      broken: (reason) => void heard.push(`broken: ${reason}`),
    },
    MAX_MESSAGE,
  );
  let piece = 0;
  for (let at = 0; at < bytes.length;) {
    const size = Math.max(pieces[piece % pieces.length] ?? 1, 1);
    const copied = bytes.copy(parser.space(), 0, at, Math.min(at + size, bytes.length));
    expect(copied).toBeGreaterThan(0);
    parser.advance(copied);
    at += copied;
    piece += 1;
  }
  return heard;
}

/** A frame as the specification draws it. */
function frame(
  body: string,
  how: { more?: boolean; command?: boolean; long?: boolean } = {},
): Buffer {
  const isLong = how.long ?? body.length > 255;
  const flags = (how.more ? 1 : 0) + (isLong ? 2 : 0) + (how.command ? 4 : 0);
  const size = Buffer.alloc(isLong ? 8 : 1);
  size.writeUIntBE(body.length, isLong ? 2 : 0, isLong ? 6 : 1);
  return Buffer.concat([Buffer.of(flags), size, Buffer.from(body, 'latin1')]);
}

const message = (frames: string[], long?: boolean) =>
  Buffer.concat(
    frames.map((body, i) =>
      frame(body, { more: i < frames.length - 1, ...(long ? { long } : {}) }),
    ),
  );

test('messages are the same wherever the stream is cut', () => {
  const body = fc.oneof(
    fc.string({ maxLength: 20, unit: 'binary-ascii' }),
    fc.integer({ min: 200, max: 240 }).map((n) => 'x'.repeat(n)),
  );
  const large = fc.integer({ min: 241, max: MAX_MESSAGE - 9 }).map((n) => ['y'.repeat(n)]);
  const frames = fc.oneof(fc.array(body, { minLength: 1, maxLength: 4 }), large);
  fc.assert(
    fc.property(
      fc.array(fc.tuple(frames, fc.boolean()), { maxLength: 30 }),
      fc.array(fc.integer({ min: 1, max: 3_000 }), { minLength: 1, maxLength: 5 }),
      (messages, pieces) => {
        const parts = messages.map(([list, long]) => message(list, long));
        const bytes = Buffer.concat([zmtpGreeting(), frame('READY', { command: true }), ...parts]);
        expect(parse(bytes, pieces)).toEqual([
          'greeting',
          'command READY',
          ...messages.map(([list]) => JSON.stringify(list)),
        ]);
      },
    ),
    { numRuns: 300 },
  );
});

test('a message longer than the buffer is handed over whole', () => {
  const heard: number[] = [];
  const parser = new ZmtpParser(
    {
      greeting: () => undefined,
      command: () => undefined,
      message: (frames) => void heard.push(frames.at(-1)?.length ?? 0),
      oversized: () => undefined,
      broken: () => undefined,
    },
    8 * 1024 * 1024,
  );
  const sizes = [70_000, 10, 7_000_000, 64 * 1024, 1];
  const bytes = Buffer.concat([
    zmtpGreeting(),
    ...sizes.map((size) => message(['seq', 'y'.repeat(size)])),
  ]);
  for (let at = 0; at < bytes.length;) {
    const copied = bytes.copy(parser.space(), 0, at, at + 50_000);
    parser.advance(copied);
    at += copied;
  }
  expect(heard).toEqual(sizes);
});

test.each([1, 7, 100_000])('a frame over the limit is skipped, in pieces of %d', (piece) => {
  const large = 'z'.repeat(MAX_MESSAGE + 1);
  const bytes = Buffer.concat([
    zmtpGreeting(),
    message(['topic', 'seq', large]),
    message(['a', large, 'b', large]),
    message([large]),
    message(['c', 'd']),
  ]);
  expect(parse(bytes, [piece])).toEqual([
    'greeting',
    'oversized ["topic","seq"]',
    'oversized ["a"]',
    'oversized []',
    '["c","d"]',
  ]);
});

test.each([1, 7, 100_000])(
  'frames that are too much together are skipped, in pieces of %d',
  (piece) => {
    const half = 'h'.repeat(MAX_MESSAGE / 2);
    const bytes = Buffer.concat([
      zmtpGreeting(),
      message(['a', half, half, 'b', half]),
      message(['y'.repeat(MAX_MESSAGE - 9)]),
      message(['z'.repeat(MAX_MESSAGE - 8)]),
      message(['c', 'd']),
    ]);
    expect(parse(bytes, [piece])).toEqual([
      'greeting',
      `oversized ["a","${half}"]`,
      `["${'y'.repeat(MAX_MESSAGE - 9)}"]`,
      'oversized []',
      '["c","d"]',
    ]);
  },
);

test('a message of many large frames takes no more memory than one of the largest that is taken', () => {
  const limit = 1024 * 1024;
  let longest = 0;
  let messages = 0;
  const parser = new ZmtpParser(
    {
      greeting: () => undefined,
      command: () => undefined,
      message: () => void (messages += 1),
      oversized: () => undefined,
      broken: () => undefined,
    },
    limit,
  );
  const body = 'y'.repeat(limit - 100);
  const frames = Array.from({ length: 15 }, () => body);
  const bytes = Buffer.concat([zmtpGreeting(), message(frames), message([body])]);
  for (let at = 0; at < bytes.length;) {
    const space = parser.space();
    longest = Math.max(longest, space.buffer.byteLength);
    const copied = bytes.copy(space, 0, at);
    parser.advance(copied);
    at += copied;
  }
  expect(messages).toBe(1);
  expect(longest).toBeLessThanOrEqual(2 * limit);
});

test('what no peer sends ends the connection', () => {
  const endless = Buffer.concat(Array.from({ length: 20 }, () => frame('x', { more: true })));
  expect(parse(Buffer.concat([zmtpGreeting(), endless, message(['after'])]))).toEqual([
    'greeting',
    'broken: a message of more than 16 frames',
  ]);
  const command = frame('y'.repeat(MAX_MESSAGE + 1), { command: true });
  expect(parse(Buffer.concat([zmtpGreeting(), command]))).toEqual([
    'greeting',
    'broken: a command of 1001 bytes',
  ]);
});

test('any bytes at all: it neither throws nor takes memory for what they claim', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), fc.nat(50), (bytes, piece) => {
      parse(Buffer.concat([zmtpGreeting(), bytes]), [piece + 1]);
    }),
    { numRuns: 2_000 },
  );
  const claims = Buffer.from([2, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 2, 3]);
  expect(parse(Buffer.concat([zmtpGreeting(), claims]))).toEqual(['greeting', 'oversized []']);
});
