import { complete, metricsOf, post, type Completion } from '@baton/test-kit';

/** Logarithms of probabilities that differ by no more come from the order of additions. */
const SAME_LOGPROB = 1e-4;
const OUTPUT_TOKENS = 16;

export interface Answer {
  tokenIds: number[];
  logprobs: number[];
  ms: number;
}

/** The greedy answer to a prompt of token ids; from Baton or from an engine. */
export async function ask(
  url: string,
  prompt: number[],
  fields: Record<string, unknown> = {},
): Promise<Answer> {
  const sentAt = performance.now();
  const body = { model: 'tiny', prompt, max_tokens: OUTPUT_TOKENS, temperature: 0, logprobs: 1 };
  const answer: Completion = await complete(url, { ...body, ignore_eos: true, ...fields });
  const logprobs = answer.logprobs.map(({ logprob }) => logprob);
  return { tokenIds: answer.tokenIds, logprobs, ms: performance.now() - sentAt };
}

let references = 0;

/** What an engine computes all by itself: under a salt of its own there is nothing to find. */
export function reference(url: string, prompt: number[], fields = {}): Promise<Answer> {
  references += 1;
  return ask(url, prompt, { ...fields, cache_salt: `reference-${process.pid}-${references}` });
}

/** How two answers differ; undefined when they do not. */
export function difference(a: Answer, b: Answer): string | undefined {
  const at = a.tokenIds.findIndex((token, i) => token !== b.tokenIds[i]);
  if (at >= 0 || a.tokenIds.length !== b.tokenIds.length) return `token ${at} differs`;
  const far = Math.max(0, ...a.logprobs.map((value, i) => Math.abs(value - (b.logprobs[i] ?? 0))));
  return far > SAME_LOGPROB ? `logprobs differ by ${far.toExponential(1)}` : undefined;
}

/** Prompt tokens since the engine began, by where their KV came from. */
export async function promptTokens(url: string): Promise<Record<string, number>> {
  const metrics = await metricsOf(url);
  const of = (source: string): number =>
    metrics.get(`prompt_tokens_by_source_total{source="${source}"}`) ?? 0;
  return {
    computed: of('local_compute'),
    reused: of('local_cache_hit'),
    received: of('external_kv_transfer'),
  };
}

/** Empties an engine's own cache; its agent's arena stays. */
export async function resetCache(url: string): Promise<void> {
  await post(url, '/reset_prefix_cache', {});
}
