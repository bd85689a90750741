import { eventually } from '@baton/test-kit';
import { finding, type Check } from '../check.ts';
import { alone, ask, difference, prompt, tokensWhile, type Answer } from './answers.ts';
import type { ConnectorLab } from './lab.ts';

/** Around blocks and segments, with several chunks of prefill; shorter ones decode may do alone. */
const LENGTHS = [400, 321, 448, 1_300, 417];

/** Decode has all of a prompt but the token that it must compute, and answers as one engine alone. */
export const handingOver: Check<ConnectorLab> = {
  name: 'handing-over',
  describes:
    'prompts handed over by agents, a prefix pulled to prefill; answers of one engine alone',
  async run(lab) {
    const { served } = lab;
    const seen = { computed: 0, received: 0 };
    const wrong: string[] = [];
    for (const length of LENGTHS) {
      const ids = prompt(length);
      const asked = await tokensOfDecode(lab, ids);
      seen.computed += asked.computed;
      seen.received += asked.received;
      const differs = difference(asked.answer, await alone(lab.engine('d'), ids));
      if (differs !== undefined) wrong.push(`${length} tokens: ${differs}`);
    }
    const trace = await served.baton('trace', 'last');
    const total = LENGTHS.reduce((sum, length) => sum + length, 0);
    return [
      finding(
        'tokens and logprobs: disaggregated by agents and aggregated',
        wrong.length === 0,
        wrong.join('; ') || `${LENGTHS.length} of ${LENGTHS.length} equal`,
      ),
      finding(
        'decode computes one token of each prompt',
        seen.computed === LENGTHS.length && seen.received === total - LENGTHS.length,
        `${seen.received} of ${total} tokens received, ${seen.computed} computed`,
      ),
      finding(
        'the trace shows the transfer of the agents',
        /kv\.transfer .* p → d · handover/.test(trace),
        /kv\.transfer.*/.exec(trace)?.[0].trim() ?? 'no span of it',
      ),
      await pulling(lab),
    ];
  },
};

async function tokensOfDecode(lab: ConnectorLab, ids: number[]) {
  let answer: Answer = { tokenIds: [], logprobs: [] };
  const tokens = await tokensWhile(lab.engine('d'), async () => {
    answer = await ask(lab.served.url, ids);
  });
  return { ...tokens, answer };
}

/** What decode has generated prefill lacks, and gets it when the conversation goes on. */
async function pulling(lab: ConnectorLab) {
  const first = prompt(330);
  const { tokenIds } = await ask(lab.served.url, first, { max_tokens: 200 });
  const ids = [...first, ...tokenIds, ...prompt(300)];
  await eventually(async () => (await lab.worker('d'))?.tiers.every(({ same }) => same) === true);
  let answer: Answer = { tokenIds: [], logprobs: [] };
  const { received } = await tokensWhile(lab.engine('p'), async () => {
    answer = await ask(lab.served.url, ids);
  });
  const differs = difference(answer, await alone(lab.engine('d'), ids));
  return finding(
    'a longer prefix is pulled to prefill before it computes',
    received >= 128 && differs === undefined,
    differs ?? `${received} of ${ids.length} prompt tokens`,
  );
}
