import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { complete, eventually, post, randomPrompt } from '@baton/test-kit';
import { finding, type Check } from '../check.ts';
import type { VllmLab } from './lab.ts';
import { BLOCK_TOKENS, MODEL } from './real-vllm.ts';

const run = promisify(execFile);
const NAMES = ['one', 'two'] as const;
const PROMPTS = 6;
const PROMPT_TOKENS = 400;
const body = { temperature: 0, ignore_eos: true, max_tokens: 16 };

/** Adapters that Baton loads and unloads: each has its own answers and its own KV. */
export const adapters: Check<VllmLab> = {
  name: 'adapters',
  describes: 'two adapters, loaded and unloaded, beside their model',
  async run({ installation, folder, pair, equals, prefill }) {
    const python = path.join(installation.venv, 'bin', 'python');
    for (const [seed, name] of NAMES.entries()) {
      const own = path.join(folder, name);
      const script = path.join(import.meta.dirname, 'tiny_adapter.py');
      await run(python, [script, own, String(seed)]);
      await pair.baton('adapter', 'load', name, '--path', own);
    }
    for (const { url } of [pair, equals]) {
      await eventually(async () => {
        for (const name of NAMES) {
          if (!(await fetch(`${url}/v1/models/${name}`)).ok) throw new Error(`no ${name}`);
        }
      });
    }
    let equal = 0;
    let different = 0;
    let cached = 0;
    let foreign = 0;
    for (let i = 0; i < PROMPTS; i += 1) {
      const prompt = randomPrompt(70_000 + i, PROMPT_TOKENS);
      const texts = new Set<string>();
      for (const model of [MODEL, ...NAMES]) {
        const asked = { ...body, model, prompt };
        const alone = await complete(prefill.url, { ...asked, cache_salt: 'alone' });
        const pairs = await complete(pair.url, asked);
        const first = await complete(equals.url, { ...asked, cache_salt: 'equals' });
        const again = await complete(equals.url, { ...asked, cache_salt: 'equals' });
        const answers = [pairs, first, again].map(({ tokenIds }) => tokenIds.join());
        if (answers.every((ids) => ids === alone.tokenIds.join())) equal += 1;
        texts.add(alone.tokenIds.join());
        if (again.cachedTokens >= PROMPT_TOKENS - BLOCK_TOKENS) cached += 1;
        if (first.cachedTokens > 0) foreign += 1;
      }
      if (texts.size === 1 + NAMES.length) different += 1;
    }
    const all = PROMPTS * (1 + NAMES.length);
    await pair.baton('adapter', 'unload', 'two');
    const gone = await post(pair.url, '/v1/completions', { ...body, model: 'two', prompt: [1, 2] });
    const kept = await post(pair.url, '/v1/completions', { ...body, model: 'one', prompt: [1, 2] });
    return [
      finding(
        'adapters: answers of a pair and of equals are those of an engine alone',
        equal === all,
        `${equal} of ${all}`,
      ),
      finding(
        'the model and its two adapters answer differently',
        different === PROMPTS,
        `${different} of ${PROMPTS} prompts`,
      ),
      finding(
        "an adapter's KV is found again, and is nobody else's",
        cached === all && foreign === 0,
        `${cached} of ${all} found, ${foreign} of others`,
      ),
      finding(
        'an adapter that was unloaded is refused, and the other is not',
        gone.status === 404 && kept.status === 200,
        `${gone.status} and ${kept.status}`,
      ),
    ];
  },
};
