import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { post } from '@baton/test-kit';
import { finding, type Check } from '../check.ts';
import { MODEL } from '../vllm/real-vllm.ts';
import { alone, ask, difference, prompt, tokensWhile, type Answer } from './answers.ts';
import type { ConnectorLab } from './lab.ts';

const run = promisify(execFile);
const NAMES = ['one', 'two'] as const;
const TOKENS = 400;
const PROMPTS = 3;
/** Whole segments of it. */
const KEPT_TOKENS = 384;

/** KV of adapters is handed over and comes from the arena, for its adapter and for nothing else. */
export const adapters: Check<ConnectorLab> = {
  name: 'adapters',
  describes: 'two adapters beside their model: loaded, handed over, from the arena, unloaded',
  async run(lab) {
    const { served, installation, folder } = lab;
    const python = path.join(installation.venv, 'bin', 'python');
    const script = path.join(import.meta.dirname, '../vllm/tiny_adapter.py');
    for (const [seed, name] of NAMES.entries()) {
      const own = path.join(folder, name);
      await run(python, [script, own, String(seed)]);
      await served.baton('adapter', 'load', name, '--path', own);
    }
    const decode = lab.engine('d');
    const wrong: string[] = [];
    let foreign = 0;
    let kept = 0;
    for (let i = 0; i < PROMPTS; i += 1) {
      const ids = prompt(TOKENS);
      const answers = new Map<string, Answer>();
      for (const model of [MODEL, ...NAMES]) {
        const expected = await alone(decode, ids, { model });
        answers.set(model, expected);
        let answer: Answer = { tokenIds: [], logprobs: [] };
        // What is found of it was kept for another model.
        const first = await tokensWhile(lab.engine('p'), async () => {
          answer = await ask(served.url, ids, { model });
        });
        foreign += first.received + TOKENS - first.computed;
        const differs = difference(answer, expected);
        if (differs !== undefined) wrong.push(`${model}: ${differs}`);
      }
      for (const [model, expected] of answers) {
        await decode.resetCache();
        const again = await tokensWhile(decode, async () => {
          const differs = difference(await ask(decode.url, ids, { model }), expected);
          if (differs !== undefined) wrong.push(`${model} from the arena: ${differs}`);
        });
        if (again.received === KEPT_TOKENS) kept += 1;
      }
    }
    const all = PROMPTS * (1 + NAMES.length);
    await served.baton('adapter', 'unload', 'two');
    const body = { prompt: [1, 2], max_tokens: 1 };
    const [gone, stays] = [
      await post(served.url, '/v1/completions', { ...body, model: 'two' }),
      await post(served.url, '/v1/completions', { ...body, model: 'one' }),
    ];
    return [
      finding(
        'adapters: tokens and logprobs are those of an engine alone',
        wrong.length === 0,
        wrong.join('; ') || `${2 * all} of ${2 * all} equal`,
      ),
      finding('nothing of one is taken for another', foreign === 0, `${foreign} tokens`),
      finding('each comes from the arena', kept === all, `${kept} of ${all} prompts`),
      finding(
        'an adapter that was unloaded is refused, and the other is not',
        gone.status === 404 && stays.status === 200,
        `${gone.status} and ${stays.status}`,
      ),
    ];
  },
};
