import { complete, metricsOf, randomPrompt } from '@baton/test-kit';
import { finding, type Check } from '../check.ts';
import type { VllmLab } from './lab.ts';
import { MODEL } from './real-vllm.ts';

const CONVERSATIONS = 12;
const SAID_TOKENS = 400;
const ANSWER_TOKENS = 200;
const NEXT_TOKENS = 300;
const EXTERNAL = 'prompt_tokens_by_source_total{source="external_kv_transfer"}';
const body = { model: MODEL, temperature: 0, ignore_eos: true };

/** Second turns of conversations: prefill reads what decode keeps of the first, and the answers stay those of one engine. */
export const turns: Check<VllmLab> = {
  name: 'turns',
  describes: `the next turn of ${CONVERSATIONS} conversations, whose prefill reads from decode`,
  async run({ pair, prefill }) {
    const receivedBefore = (await prefill.metrics()).get(EXTERNAL) ?? 0;
    let equal = 0;
    for (let i = 0; i < CONVERSATIONS; i += 1) {
      const said = randomPrompt(50_000 + i, SAID_TOKENS);
      const first = { ...body, prompt: said, max_tokens: ANSWER_TOKENS };
      const { tokenIds } = await complete(pair.url, first);
      const next = [...said, ...tokenIds, ...randomPrompt(60_000 + i, NEXT_TOKENS)];
      const second = { ...body, prompt: next, max_tokens: 16 };
      const answer = await complete(pair.url, second);
      const alone = await complete(prefill.url, { ...second, cache_salt: 'alone' });
      if (answer.tokenIds.join() === alone.tokenIds.join()) equal += 1;
    }
    const received = ((await prefill.metrics()).get(EXTERNAL) ?? 0) - receivedBefore;
    const told = (await metricsOf(pair.url)).get('baton_turns_read_total') ?? 0;
    return [
      finding(
        'second turns: token for token those of one engine',
        equal === CONVERSATIONS,
        `${equal} of ${CONVERSATIONS} equal`,
      ),
      finding(
        'their prefill reads what decode keeps of the first',
        told > CONVERSATIONS / 2 && received > 0,
        `${told} of ${CONVERSATIONS}, ${received} prompt tokens`,
      ),
    ];
  },
};
