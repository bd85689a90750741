import fc from 'fast-check';
import { expect, test } from 'vitest';
import { OutputText } from './output-text.ts';
import { StopMatcher } from './stop-matcher.ts';
import { StreamDetokenizer } from './stream-detokenizer.ts';
import type { TokenPieces } from './stream-detokenizer.ts';

/** A vocabulary whose tokens are the given pieces; ids from `special` on are control tokens. */
function piecesOf(pieces: Uint8Array[], special = pieces.length): TokenPieces {
  return {
    piece: (token) => pieces[token] ?? new Uint8Array(),
    isSpecial: (token) => token >= special,
  };
}

/** The bytes cut at the given places, one token for each cut. */
function cutBytes(bytes: Uint8Array, cuts: number[]): Uint8Array[] {
  const at = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...at].map((start, i) => bytes.slice(start, at[i] ?? bytes.length));
}

/** Few letters, so that stop strings overlap and come often. */
const denseText = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '😀'), maxLength: 24 });
const anyText = fc.string({ unit: 'grapheme', maxLength: 24 });
const stopList = fc.array(
  fc.string({ unit: fc.constantFrom('a', 'b', 'é', '😀'), minLength: 1, maxLength: 4 }),
  {
    maxLength: 4,
  },
);

test('a text cut anywhere between bytes comes out whole', () => {
  fc.assert(
    fc.property(fc.oneof(denseText, anyText), fc.array(fc.nat()), (text, cuts) => {
      const pieces = cutBytes(new TextEncoder().encode(text), cuts);
      const stream = new StreamDetokenizer(piecesOf(pieces));
      expect(pieces.map((_, token) => stream.push(token)).join('')).toBe(text);
    }),
  );
});

test('no piece ever ends inside a character', () => {
  const bytes = new TextEncoder().encode('é😀');
  const stream = new StreamDetokenizer(piecesOf([...bytes].map((byte) => Uint8Array.of(byte))));
  expect([...bytes].map((_, token) => stream.push(token))).toEqual(['', 'é', '', '', '', '😀']);
});

test('bytes that are no text become replacement characters, an unfinished end is not shown', () => {
  const stream = new StreamDetokenizer(
    piecesOf([Uint8Array.of(0xff), Uint8Array.of(0x41), Uint8Array.of(0xf0, 0x9f)]),
  );
  expect([stream.push(0), stream.push(1), stream.push(2)]).toEqual(['\ufffd', 'A', '']);
});

test('special tokens have no text and do not break a character', () => {
  const stream = new StreamDetokenizer(
    piecesOf([Uint8Array.of(0xc3), Uint8Array.of(0xa9), new TextEncoder().encode('<|end|>')], 2),
  );
  expect([stream.push(0), stream.push(2), stream.push(1)]).toEqual(['', '', 'é']);
});

/** The rule in its plain form: the stop string that is complete first, the longer of two. */
function cutAtStop(text: string, stops: string[]): { text: string; stop?: string } {
  for (let end = 1; end <= text.length; end += 1) {
    const found = stops
      .filter((stop) => text.slice(0, end).endsWith(stop))
      .sort((a, b) => b.length - a.length)[0];
    if (found !== undefined) return { text: text.slice(0, end - found.length), stop: found };
  }
  return { text };
}

function run(matcher: StopMatcher, chunks: string[]): { text: string; stop?: string } {
  let text = '';
  for (const chunk of chunks) {
    const out = matcher.push(chunk);
    text += out.text;
    if (out.stop !== undefined) return { text, stop: out.stop };
  }
  return { text: text + matcher.flush() };
}

test('stop strings cut at the same place however the text is split', () => {
  fc.assert(
    fc.property(fc.array(denseText, { maxLength: 8 }), stopList, (chunks, stops) => {
      const whole = chunks.join('');
      expect(run(new StopMatcher(stops), chunks)).toEqual(cutAtStop(whole, stops));
      expect(run(new StopMatcher(stops), [...whole])).toEqual(cutAtStop(whole, stops));
    }),
    { numRuns: 2_000 },
  );
});

test('text is held back only while it may become a stop string', () => {
  const matcher = new StopMatcher(['END']);
  expect(matcher.push('xE')).toEqual({ text: 'x' });
  expect(matcher.push('N')).toEqual({ text: '' });
  expect(matcher.push('x')).toEqual({ text: 'ENx' });
  expect(matcher.push('EN')).toEqual({ text: '' });
  expect(matcher.push('Dy')).toEqual({ text: '', stop: 'END' });
  expect(matcher.push('more')).toEqual({ text: '', stop: 'END' });
});

test('a primed stream and what was shown before make the text of one stream', () => {
  fc.assert(
    fc.property(denseText, fc.array(fc.nat()), stopList, fc.nat(), (text, cuts, stops, split) => {
      const pieces = cutBytes(new TextEncoder().encode(text), cuts);
      const tokens = pieces.map((_, token) => token);
      const at = split % (tokens.length + 1);
      const first = new OutputText(piecesOf(pieces), stops);
      const shown = tokens.slice(0, at).map((token) => first.push(token));
      const second = new OutputText(piecesOf(pieces), stops);
      const stopped = second.prime(tokens.slice(0, at));
      expect(stopped).toBe(shown.find((out) => out.stop !== undefined)?.stop);
      const rest = stopped === undefined ? tokens.slice(at).map((token) => second.push(token)) : [];
      const ended = [...shown, ...rest].some((out) => out.stop !== undefined);
      const joined = [...shown, ...rest].map((out) => out.text).join('');
      expect(joined + (ended ? '' : second.flush())).toBe(cutAtStop(text, stops).text);
    }),
    { numRuns: 1_000 },
  );
});
