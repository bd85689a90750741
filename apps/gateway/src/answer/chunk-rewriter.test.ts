import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AnswerEars, AnswerShape } from './answer.ts';
import { ChunkRewriter, type LegStart } from './chunk-rewriter.ts';

const envelope = { id: 'ours', created: 7, model: 'public' };

function rewriter(
  change: Partial<AnswerShape> = {},
  start: LegStart = { opened: true, chars: 0 },
): { rewrite: (chunk: object) => unknown; reasons: string[]; raw: ChunkRewriter } {
  const reasons: string[] = [];
  const ears: AnswerEars = {
    readAccounting: () => undefined,
    legEnded: () => undefined,
    tokens: () => undefined,
    finishReason: (reason) => reasons.push(reason),
  };
  const shape = {
    api: 'chat',
    envelope,
    wantsUsage: false,
    wantsTokenIds: false,
    ...change,
  } as const;
  const raw = new ChunkRewriter(shape, ears, start);
  const rewrite = (chunk: object) => {
    const text = raw.rewrite(JSON.stringify(chunk));
    return text === undefined ? undefined : (JSON.parse(text) as unknown);
  };
  return { rewrite, reasons, raw };
}

const theirs = { id: 'theirs', object: 'chat.completion.chunk', created: 1, model: 'local' };
const ours = { id: 'ours', object: 'chat.completion.chunk', created: 7, model: 'public' };
const said = (content: string, more: object = {}) => ({
  choices: [{ index: 0, delta: { content }, logprobs: null, finish_reason: null, ...more }],
});

test('whatever the text says, only the envelope changes, on the fast path as on the slow one', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      '"usage":{"a":1}',
      '"kv_transfer_params":',
      '","role":"x"',
      ',"usage":null}',
      '"finish_reason":"stop"',
      'data: [DONE]',
    ),
  );
  const trailing = fc.constantFrom({}, { usage: null }, { metrics: { a: '"usage":null' } });
  fc.assert(
    fc.property(fc.array(fc.tuple(text, trailing)), fc.boolean(), (all, wantsUsage) => {
      const { rewrite } = rewriter({ wantsUsage });
      rewrite({ ...theirs, ...said('first') });
      for (const [content, more] of all) {
        const expected: Record<string, unknown> = { ...ours, ...said(content), ...more };
        if (!wantsUsage) delete expected['usage'];
        expect(rewrite({ ...theirs, ...said(content), ...more })).toEqual(expected);
      }
    }),
  );
});

test('an envelope in another order or of another chunk is replaced too', () => {
  const { rewrite } = rewriter();
  const { id, ...rest } = theirs;
  expect(rewrite({ ...rest, ...said('a'), id })).toEqual({ ...ours, ...said('a') });
  expect(rewrite({ ...theirs, ...said('b') })).toEqual({ ...ours, ...said('b') });
  expect(rewrite({ ...theirs, id: 'another', ...said('c') })).toEqual({ ...ours, ...said('c') });
});

describe('the role comes once', () => {
  const roleOnly = { choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] };

  test('dropped where it is out', () => {
    const { rewrite, raw } = rewriter();
    expect(rewrite({ ...theirs, ...roleOnly })).toBeUndefined();
    expect(raw.hasContent).toBe(false);
    expect(
      rewrite({ ...theirs, ...said('a', { delta: { role: 'assistant', content: 'a' } }) }),
    ).toEqual({
      ...ours,
      ...said('a'),
    });
    expect(raw.hasContent).toBe(true);
  });

  test('added where an engine forgets it', () => {
    const { rewrite } = rewriter({}, { opened: false, chars: 0 });
    expect(rewrite({ ...theirs, ...said('a') })).toMatchObject({
      choices: [{ delta: { role: 'assistant', content: 'a' } }],
    });
    expect(rewrite({ ...theirs, ...said('b') })).toEqual({ ...ours, ...said('b') });
  });
});

test('usage, handover parameters and prompt ids of a later leg stay inside', () => {
  const { rewrite, reasons, raw } = rewriter({ wantsTokenIds: true });
  const more = { kv_transfer_params: { a: 1 }, ec_transfer_params: null, prompt_token_ids: [1] };
  expect(rewrite({ ...theirs, ...said('a'), ...more })).toEqual({ ...ours, ...said('a') });
  expect(rewrite({ ...theirs, ...said('b') })).toEqual({ ...ours, ...said('b') });
  for (const [field, value] of Object.entries(more)) {
    expect(rewrite({ ...theirs, ...said('c'), [field]: value })).toEqual({ ...ours, ...said('c') });
  }
  expect(() => raw.end()).toThrow(/finish_reason/);
  expect(rewrite({ ...theirs, ...said('', { finish_reason: 'length' }), ...more })).toEqual({
    ...ours,
    ...said('', { finish_reason: 'length' }),
  });
  expect(rewrite({ ...theirs, choices: [], usage: { completion_tokens: 3 } })).toBeUndefined();
  expect(reasons).toEqual(['length']);
  raw.end();
});

test('offsets of a leg that counts from its own beginning are moved, others are not', () => {
  const completion = { ...theirs, object: 'text_completion' };
  const chunk = (offset: number) => ({
    ...completion,
    choices: [{ index: 0, text: 'x', logprobs: { text_offset: [offset] }, finish_reason: null }],
  });
  const offsetsOf = (offsets: number[]) => {
    const { rewrite } = rewriter({ api: 'completion' }, { opened: true, chars: 5 });
    return offsets.map((offset) => {
      const rewritten = rewrite(chunk(offset)) as { choices: { logprobs: unknown }[] };
      return rewritten.choices[0]?.logprobs;
    });
  };
  expect(offsetsOf([0, 6])).toEqual([{ text_offset: [5] }, { text_offset: [11] }]);
  expect(offsetsOf([5, 6])).toEqual([{ text_offset: [5] }, { text_offset: [6] }]);
});

test.each([['{"id":'], ['[]'], ['{}'], ['{"choices":[1]}'], ['{"choices":[{},{}]}'], ['null']])(
  'the chunk %s is the engine’s fault',
  (data) => {
    expect(() => rewriter().raw.rewrite(data)).toThrow(/malformed/);
  },
);
