import { complete, eventually, randomPrompt, send } from '@baton/test-kit';
import { medianInterval } from '../../bench/statistics.ts';
import { finding, type Check } from '../check.ts';
import type { VllmLab } from './lab.ts';
import { MODEL } from './real-vllm.ts';

const PAIRS = 200;
const PROMPT_TOKENS = 600;
const MOST_ADDED_MS = 8;
const MEET_MS = 120_000;
/** On a machine on which engines starve one another some may fail; with more there is nothing to measure. */
const MOST_FAILURES = 20;
const body = { model: MODEL, temperature: 0, ignore_eos: true, max_tokens: 2 };

/** What Baton adds to the time to the first token of a handover that a bare script does in two steps. */
export const addedTime: Check<VllmLab> = {
  name: 'added-time',
  describes: `time to the first token against the bare two steps, ${PAIRS} alternating pairs`,
  async run({ pair, prefill, decode }) {
    const differences: number[] = [];
    // The engines meet with the first handover, which is late where one of them is still busy with its start.
    await eventually(() => bareMs(prefill.url, decode.url, randomPrompt(19_999, 100), -1), MEET_MS);
    const bareTimes: number[] = [];
    const failures: string[] = [];
    const onePair = async (i: number): Promise<void> => {
      const prompts = [0, 1].map((one) => randomPrompt(20_000 + 2 * i + one, PROMPT_TOKENS));
      const [bare, baton] = [prompts[0] ?? [], prompts[1] ?? []];
      const bareFirst = i % 2 === 0;
      const first = bareFirst ? await bareMs(prefill.url, decode.url, bare, i) : undefined;
      const { firstTokenMs } = await complete(pair.url, { ...body, prompt: baton, stream: true });
      const bareTtft = first ?? (await bareMs(prefill.url, decode.url, bare, i));
      differences.push(firstTokenMs - bareTtft);
      bareTimes.push(bareTtft);
    };
    for (let i = 0; i < PAIRS + failures.length; i += 1) {
      await onePair(i).catch((error: unknown) => failures.push(String(error)));
      if (failures.length > MOST_FAILURES) throw new Error(failures.at(-1));
    }
    const { median, low, high } = medianInterval(differences);
    const figures = [median, low, high].map((ms) => ms.toFixed(1));
    return [
      finding(
        'engines.vllm_added_ms, median with its 95 % interval',
        median <= MOST_ADDED_MS,
        `${figures[0]} ms (${figures[1]} to ${figures[2]}), at most ${MOST_ADDED_MS}; bare ${medianInterval(bareTimes).median.toFixed(0)} ms`,
      ),
      finding(
        'pairs that failed',
        failures.length === 0,
        `${failures.length}: ${failures[0] ?? ''}`,
      ),
    ];
  },
};

/** Time to the first token of the same handover without Baton. */
async function bareMs(
  prefillUrl: string,
  decodeUrl: string,
  prompt: number[],
  i: number,
): Promise<number> {
  const headers = { 'x-request-id': `bare-${i}` };
  const nobody = { remote_engine_id: null, remote_block_ids: null };
  const wanted = { do_remote_decode: true, do_remote_prefill: false, ...nobody };
  const sentAt = performance.now();
  const asked = { ...body, prompt, max_tokens: 1, kv_transfer_params: wanted };
  const answer = await send(prefillUrl, '/v1/completions', asked, { headers });
  const { kv_transfer_params: params } = (await answer.json()) as { kv_transfer_params: object };
  const prefilledMs = performance.now() - sentAt;
  const rest = { ...body, prompt, kv_transfer_params: params, stream: true };
  const { firstTokenMs } = await complete(decodeUrl, rest);
  return prefilledMs + firstTokenMs;
}
