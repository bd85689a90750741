/** The main job with a real chat model (98 MB, fetched once): it answers sensibly, the same over a handover as alone. */
import { findChatModel } from '@baton/provision';
import { complete, startService, type CompletionBody, type ServiceProcess } from '@baton/test-kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MODEL, startFleet, type Fleet } from '../kit/fleet.ts';

let fleet: Fleet;
let alone: ServiceProcess;

beforeAll(async () => {
  const found = await findChatModel({ log: console.log });
  if (found.model === undefined) throw new Error(`no chat model: ${found.reason}`);
  const { model } = found;
  const limits = ['--max-model-tokens', '2048', '--max-sequences', '4', '--kv-capacity-tokens'];
  const engineArgs = [...limits, '8192'];
  [fleet, alone] = await Promise.all([
    startFleet({ prefill: 1, decode: 1, reproducible: true, model: model.path, engineArgs }),
    startService('engine', 'engine alone', [
      ...['--model', model.path, '--model-name', MODEL, '--reproducible', '--threads', '1'],
      ...engineArgs,
    ]),
  ]);
});
afterAll(async () => {
  await Promise.all([fleet?.stop(), alone?.stop()]);
});

const notes = Array.from(
  { length: 24 },
  (_, i) => `Note ${i + 1}: the capital of France is Paris, and the river through it is the Seine.`,
).join(' ');
const prompt =
  `<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n` +
  `<|im_start|>user\n${notes}\nWhat is the capital of France?<|im_end|>\n<|im_start|>assistant\n`;

test.each([
  ['greedy', { temperature: 0 }],
  ['sampled', { temperature: 0.8, top_p: 0.9, seed: 7 }],
])('%s', async (_, sampling) => {
  const request: CompletionBody = {
    model: MODEL,
    prompt,
    max_tokens: 48,
    stream: true,
    ...sampling,
  };
  const expected = await complete(alone.endpoints['http'] ?? '', request);
  const answer = await complete(fleet.url, request);
  expect(answer.tokenIds).toEqual(expected.tokenIds);
  expect(answer.text).toBe(expected.text);
  if (sampling.temperature === 0) expect(answer.text).toContain('Paris');
});
