import { complete, randomPrompt } from '@baton/test-kit';
import { MODEL, type RealVllm } from '../vllm/real-vllm.ts';

/** Logarithms of probabilities that differ by no more come from the order of additions. */
const SAME_LOGPROB = 1e-4;
const OUTPUT_TOKENS = 16;

export interface Answer {
  tokenIds: number[];
  logprobs: number[];
}

let prompts = 0;

/** Another one each time, and other ones than in other runs. */
export function prompt(tokens: number): number[] {
  prompts += 1;
  return randomPrompt(process.pid * 1_000 + prompts, tokens);
}

/** The greedy answer to a prompt of token ids; of Baton or of an engine. */
export async function ask(url: string, ids: number[], fields: object = {}): Promise<Answer> {
  const body = {
    model: MODEL,
    prompt: ids,
    max_tokens: OUTPUT_TOKENS,
    temperature: 0,
    logprobs: 1,
  };
  const answer = await complete(url, { ...body, ignore_eos: true, ...fields });
  return { tokenIds: answer.tokenIds, logprobs: answer.logprobs.map(({ logprob }) => logprob) };
}

/** What an engine computes all by itself: under a salt of its own there is nothing to find. */
export function alone(engine: RealVllm, ids: number[], fields: object = {}): Promise<Answer> {
  prompts += 1;
  return ask(engine.url, ids, { ...fields, cache_salt: `alone-${process.pid}-${prompts}` });
}

/** How two answers differ; undefined when they do not. */
export function difference(a: Answer, b: Answer): string | undefined {
  const at = a.tokenIds.findIndex((token, i) => token !== b.tokenIds[i]);
  if (at >= 0 || a.tokenIds.length !== b.tokenIds.length) return `token ${at} differs`;
  const far = Math.max(0, ...a.logprobs.map((value, i) => Math.abs(value - (b.logprobs[i] ?? 0))));
  return far > SAME_LOGPROB ? `logprobs differ by ${far.toExponential(1)}` : undefined;
}

/** Prompt tokens that an engine computed and received while something was done. */
export async function tokensWhile(engine: RealVllm, act: () => Promise<unknown>) {
  const read = async (): Promise<{ computed: number; received: number }> => {
    const metrics = await engine.metrics();
    const of = (source: string): number =>
      metrics.get(`prompt_tokens_by_source_total{source="${source}"}`) ?? 0;
    return { computed: of('local_compute'), received: of('external_kv_transfer') };
  };
  const before = await read();
  await act();
  const after = await read();
  return {
    computed: after.computed - before.computed,
    received: after.received - before.received,
  };
}
