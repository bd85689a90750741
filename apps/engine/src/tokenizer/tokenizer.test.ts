import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tinyModelFolder } from '../testing/test-engine.ts';
import { ChatTemplate } from './chat-template.ts';
import { MAX_TOKENIZER_JOBS, pieceTable, Tokenizer } from './tokenizer.ts';
import type { TokenizerFacts } from './tokenizer-port.ts';

const model = tinyModelFolder();
let tokenizer: Tokenizer;
let facts: TokenizerFacts;

beforeAll(async () => {
  ({ tokenizer, facts } = await Tokenizer.open(model.file));
});
afterAll(async () => {
  await tokenizer.close();
  model.remove();
});

test('texts of any kind come back from their tokens, byte for byte', async () => {
  const pieces = pieceTable(facts);
  for (const text of ['the cat', 'é 😀\n\u0000', '', ' '.repeat(5), 'ing'.repeat(50)]) {
    const tokens = await tokenizer.tokenize(text, false);
    expect(await tokenizer.detokenize(tokens)).toBe(text);
    const bytes = Buffer.concat([...tokens].map((token) => pieces.piece(token)));
    expect(bytes.toString()).toBe(text);
  }
});

test('special tokens are known as such and have the bytes of their name', async () => {
  const pieces = pieceTable(facts);
  const [bos, im] = await tokenizer.tokenize('<|im_start|>', true);
  expect([bos, im].map((token) => pieces.isSpecial(token ?? -1))).toEqual([true, true]);
  expect(Buffer.from(pieces.piece(im ?? -1)).toString()).toBe('<|im_start|>');
  expect(pieces.piece(1_000_000)).toHaveLength(0);
  expect(pieces.isSpecial(1_000_000)).toBe(false);
});

test('answers come in the order of the questions, and too many at once are refused', async () => {
  const jobs = Array.from({ length: MAX_TOKENIZER_JOBS }, (_, i) =>
    tokenizer.tokenize('a'.repeat(i % 7), false),
  );
  await expect(tokenizer.tokenize('one more', false)).rejects.toMatchObject({ code: 'queue_full' });
  const lengths = (await Promise.all(jobs)).map((tokens) => tokens.length);
  expect(lengths).toEqual(jobs.map((_, i) => i % 7));
  expect(await tokenizer.tokenize('a', false)).toHaveLength(1);
});

test('a closed tokenizer rejects what waits and what comes', async () => {
  const { tokenizer: closing } = await Tokenizer.open(model.file);
  const waiting = closing.tokenize('a', false);
  const closed = closing.close();
  await expect(waiting).rejects.toMatchObject({ code: 'shutting_down' });
  await closed;
  await expect(closing.tokenize('a', false)).rejects.toMatchObject({ code: 'shutting_down' });
  expect(closing.death).toBeDefined();
});

test('a file that is missing or no model is a clear error', async () => {
  const missing = path.join(path.dirname(model.file), 'missing.gguf');
  await expect(Tokenizer.open(missing)).rejects.toMatchObject({ code: 'model_file_missing' });
  const broken = path.join(path.dirname(model.file), 'broken.gguf');
  writeFileSync(broken, 'GGUF but not really');
  await expect(Tokenizer.open(broken)).rejects.toMatchObject({ code: 'model_file_damaged' });
});

const render = (source: string | undefined, variables: Record<string, unknown> = {}): string =>
  new ChatTemplate({ source, bosText: '<s>', eosText: '</s>' }).render({
    messages: [{ role: 'user', content: 'hi', name: 'me' }],
    addGenerationPrompt: true,
    variables,
  });

test('a template sees messages with all their fields, the special texts and further variables', () => {
  const source =
    '{{ bos_token }}{% for m in messages %}{{ m.role }}/{{ m.name }}: {{ m.content }}{% endfor %}{{ eos_token }}' +
    '{% if add_generation_prompt %}>{% endif %}{% if thinking %}think{% endif %}';
  expect(render(source)).toBe('<s>user/me: hi</s>>');
  expect(render(source, { thinking: true, messages: [], bos_token: 'x' })).toBe(
    '<s>user/me: hi</s>>think',
  );
});

test('a template that refuses, is broken or is not there names the messages', () => {
  const refusal = { code: 'invalid_request', details: { field: 'messages' } };
  expect(() => render("{{ raise_exception('only one turn') }}")).toThrow(
    expect.objectContaining({ ...refusal, message: expect.stringContaining('only one turn') }),
  );
  expect(() => render('{% for %}')).toThrow(expect.objectContaining(refusal));
  expect(() => render(undefined)).toThrow(
    expect.objectContaining({ code: 'unsupported_parameter', details: { field: 'messages' } }),
  );
});
