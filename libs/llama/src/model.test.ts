import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { LlamaContext } from './context.ts';
import { LlamaModel } from './model.ts';
import { heavyKvModel, writeTinyModel } from './tiny-model.ts';
import { writeUnsplittableModel } from './unsplittable-model.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'baton-model-'));
const file = (name: string): string => path.join(folder, `${name}.gguf`);
afterAll(() => rmSync(folder, { recursive: true }));

const digest = (name: string): string =>
  createHash('sha256')
    .update(readFileSync(file(name)))
    .digest('hex');

test('equal options give equal bytes, another seed others', () => {
  writeTinyModel(file('a'));
  writeTinyModel(file('b'));
  writeTinyModel(file('c'), { seed: 2 });
  expect(digest('b')).toBe(digest('a'));
  expect(digest('c')).not.toBe(digest('a'));
});

test('the facts of a model', () => {
  writeTinyModel(file('facts'));
  const vocabulary = new LlamaModel(file('facts'), { vocabOnly: true });
  const model = new LlamaModel(file('facts'));
  expect(vocabulary.facts).toEqual(model.facts);
  vocabulary.close();
  expect(model.facts).toMatchObject({
    architecture: 'llama',
    name: 'baton-tiny-random',
    layers: 2,
    contextTokens: 8192,
    bosText: '<s>',
    eosText: '</s>',
  });
  expect(model.facts.chatTemplate).toContain('add_generation_prompt');
  expect(model.unsplittable()).toBeUndefined();
  model.close();
  expect(() => model.pointer).toThrow('closed');
});

test('models whose KV cannot be cut are refused with the reason', () => {
  const reasons = { 'sliding-window': 'sliding-window', recurrent: 'recurrent' } as const;
  for (const [kind, reason] of Object.entries(reasons)) {
    writeUnsplittableModel(file(kind), kind as keyof typeof reasons);
    const model = new LlamaModel(file(kind));
    expect(() => model.requireSplittable()).toThrow(
      expect.objectContaining({
        code: 'model_not_supported',
        message: expect.stringMatching(new RegExp(`${kind}.*${reason}`)) as string,
      }),
    );
    model.close();
  }
});

test('the heavy model has at least 64 KiB of KV a token', () => {
  writeTinyModel(file('heavy'), heavyKvModel);
  const model = new LlamaModel(file('heavy'));
  const context = new LlamaContext(model, {
    cells: 256,
    sequences: 1,
    batchTokens: 64,
    outputs: 1,
    threads: 1,
  });
  expect(context.layout.cellBytes).toBeGreaterThanOrEqual(64 * 1024);
  context.close();
  model.close();
});

test('an assertion inside libllama ends the process and says what it was', () => {
  writeTinyModel(file('assert'));
  const script = `
    const { LlamaContext, LlamaModel } = await import(process.env.INDEX);
    const model = new LlamaModel(process.env.MODEL);
    const options = { cells: 256, sequences: 1, batchTokens: 64, outputs: 1, threads: 1 };
    const context = new LlamaContext(model, options);
    model.native.removeSequence(model.native.memoryOf(context.pointer), 9999, -1, -1);
  `;
  const env = {
    ...process.env,
    GGML_NO_BACKTRACE: '1',
    INDEX: new URL('./index.ts', import.meta.url).href,
    MODEL: file('assert'),
  };
  const child = spawnSync(process.execPath, ['--input-type=module', '-e', script], { env });
  expect(child.signal).toBe('SIGABRT');
  expect(child.stderr.toString()).toContain('GGML_ASSERT');
});

test('what is closed is free: models, contexts and samplers do not add up', () => {
  writeTinyModel(file('leak'));
  const script = `
    import { setImmediate } from 'node:timers/promises';
    const { LlamaContext, LlamaModel, LlamaSampler } = await import(process.env.INDEX);
    const sampling = { temperature: 1, topP: 0.9, topK: 40, minP: 0.1, seed: 1 };
    const penalties = { presencePenalty: 1, frequencyPenalty: 1 };
    const rounds = async (count) => {
      for (let i = 0; i < count; i += 1) {
        const model = new LlamaModel(process.env.MODEL);
        const options = { cells: 65536, sequences: 8, batchTokens: 256, outputs: 8, threads: 1 };
        const context = new LlamaContext(model, options);
        const sampler = new LlamaSampler(model, { ...sampling, ...penalties });
        context.batch.add(5, 0, 1, true);
        context.decode();
        for (let k = 0; k < 20; k += 1) sampler.sample(context, 0);
        for (const thing of [sampler, context, model]) thing.close();
        await setImmediate();
      }
      return process.memoryUsage.rss();
    };
    const before = await rounds(10);
    console.log((await rounds(40)) - before);
  `;
  // Large blocks go back to the system at once, so that the process's memory shows what is in use.
  const env = {
    ...process.env,
    MALLOC_MMAP_THRESHOLD_: '131072',
    INDEX: new URL('./index.ts', import.meta.url).href,
    MODEL: file('leak'),
  };
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], { env });
  const kvBytes = 65_536 * 256;
  expect(Number(output.toString())).toBeLessThan(5 * kvBytes);
});
