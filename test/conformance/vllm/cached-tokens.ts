import { setTimeout as sleep } from 'node:timers/promises';
import { SeededRandom } from '@baton/kv';
import { complete, randomPrompt } from '@baton/test-kit';
import type { Served } from '../../kit/served.ts';
import { finding, type Check } from '../check.ts';
import { BLOCKS, type VllmLab } from './lab.ts';
import { BLOCK_TOKENS, MODEL } from './real-vllm.ts';

const REQUESTS = 150;
const SEGMENT_TOKENS = 64;
const STEMS = 60;
/** In both engines. */
const CACHED_TOKENS = 2 * BLOCKS * BLOCK_TOKENS;
const HEARD_MS = 200;

/** What the plan says is cached is what the engine then finds, whatever was evicted or cleared in between. */
export const cachedTokens: Check<VllmLab> = {
  name: 'cached-tokens',
  describes: 'predicted against reported cached tokens, with evictions and cleared caches',
  async run({ equals, prefill, decode }) {
    const random = new SeededRandom(7);
    let right = 0;
    let reported = 0;
    let resets = 0;
    let computed = 0;
    const wrong: string[] = [];
    for (let i = 0; i < REQUESTS; i += 1) {
      const stem = randomPrompt(5_000 + random.below(STEMS), 256 + 64 * random.below(10));
      const prompt = [...stem, ...randomPrompt(9_000 + i, 1 + random.below(80))];
      if (i % 50 === 25) {
        const engine = resets % 2 === 0 ? prefill : decode;
        await engine.resetCache();
        // vLLM tells of it with its next step, and not before.
        await complete(engine.url, { model: MODEL, prompt: [1], max_tokens: 1 });
        resets += 1;
      }
      // What the engine has just said of its cache is on its way.
      await sleep(HEARD_MS);
      const answer = await complete(equals.url, { model: MODEL, prompt, max_tokens: 2 });
      const plan = answer.headers.get('x-baton-plan-id') ?? '';
      const predicted = await predictedTokens(equals, plan);
      const most = Math.floor((prompt.length - 1) / BLOCK_TOKENS) * BLOCK_TOKENS;
      const isRight =
        answer.cachedTokens >= Math.min(predicted, most) &&
        answer.cachedTokens < predicted + SEGMENT_TOKENS;
      reported += answer.cachedTokens;
      computed += prompt.length - answer.cachedTokens;
      if (isRight) right += 1;
      else wrong.push(`${predicted} → ${answer.cachedTokens}`);
    }
    return [
      finding(
        'predicted cached tokens are the reported ones, to a segment',
        right === REQUESTS,
        `${right} of ${REQUESTS} (${reported} tokens, ${resets} caches cleared)${wrong.length > 0 ? `: ${wrong.slice(0, 4).join(', ')}` : ''}`,
      ),
      finding(
        'more was computed than the caches hold',
        computed > CACHED_TOKENS,
        `${computed} tokens, room for ${CACHED_TOKENS}`,
      ),
    ];
  },
};

/** Of the prompt, by the plan that its answer names. */
export async function predictedTokens({ adminUrl }: Served, planId: string): Promise<number> {
  const answer = await fetch(`${adminUrl()}/plans/${planId}`);
  const plan = (await answer.json()) as { choice: { prefill: { heldSegments: number } } };
  return plan.choice.prefill.heldSegments * SEGMENT_TOKENS;
}
