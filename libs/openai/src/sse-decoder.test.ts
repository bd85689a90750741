import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SseDecoder, encodeEvent } from './index.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

function decode(chunks: Uint8Array[]): { events: string[]; truncated: boolean } {
  const decoder = new SseDecoder();
  const events = chunks.flatMap((chunk) => decoder.push(chunk));
  return { events, truncated: decoder.end() };
}

const stream =
  'data: {"text":"data: [DONE]\\n\\n é 😀 漢"}\n\n' +
  ': a comment\r\n\r\n' +
  'event: ping\rdata:x\r\r' +
  'id: 1\r\ndata: one\r\ndata:  two\r\n\r\n' +
  'data\n\n' +
  'database: no\n\n' +
  'data: [DONE]\n\n';
const expected = ['{"text":"data: [DONE]\\n\\n é 😀 漢"}', 'x', 'one\n two', '', '[DONE]'];

test('two pieces, split at every byte, give the same events', () => {
  const all = bytes(stream);
  for (let cut = 0; cut <= all.length; cut++) {
    const { events, truncated } = decode([all.subarray(0, cut), all.subarray(cut)]);
    expect(events, `cut at byte ${cut}`).toEqual(expected);
    expect(truncated).toBe(false);
  }
});

test('one byte at a time gives the same events', () => {
  expect(decode(Array.from(bytes(stream), (byte) => Uint8Array.of(byte))).events).toEqual(expected);
});

test('what is encoded is decoded, however the bytes are split', () => {
  const json = fc.array(fc.string({ unit: 'binary' }).map((text) => JSON.stringify({ text })));
  fc.assert(
    fc.property(json, fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), (all, sizes) => {
      const whole = bytes(all.map(encodeEvent).join(''));
      const chunks: Uint8Array[] = [];
      for (let at = 0, i = 0; at < whole.length; i++) {
        const size = sizes[i % sizes.length] ?? 1;
        chunks.push(whole.subarray(at, at + size));
        at += size;
      }
      // A lone surrogate cannot travel as UTF-8: JSON.stringify escapes it, so nothing is lost.
      expect(decode(chunks).events).toEqual(all);
    }),
  );
});

test('a stream that ends within an event says so', () => {
  expect(decode([bytes('data: a\n\ndata: b')])).toEqual({ events: ['a'], truncated: true });
  expect(decode([bytes('data: a\n\ndata: b\n')])).toEqual({ events: ['a'], truncated: true });
  expect(decode([bytes('data: a\n\n'), Uint8Array.of(0xe6, 0xbc)]).truncated).toBe(true);
});

test('an endless line and an endless event are refused', () => {
  const line = new SseDecoder(10);
  line.push(bytes('data: 1234'));
  expect(() => line.push(bytes('5'))).toThrow(/longer than 10/);
  const event = new SseDecoder(20);
  expect(() => event.push(bytes('data: 1\n'.repeat(3)))).toThrow(/longer than 20/);
});
