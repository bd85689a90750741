import { SeededRandom } from '@baton/kv';
import type { TraceRequest } from '../trace/trace-line.ts';
import { PromptBlocks } from './prompt-blocks.ts';
import { someTokens, type WorkloadOptions } from './workload-options.ts';

const PROMPT_TOKENS = 4_000;
const OUTPUT_TOKENS = 250;

/** Prompts that have nothing in common: no cache is of any use. */
export function noSharing({ requests, requestsPerSec, seed }: WorkloadOptions): TraceRequest[] {
  const random = new SeededRandom(seed);
  const names = new PromptBlocks();
  let atMs = 0;
  return Array.from({ length: requests }, (_, i) => {
    atMs += random.exponential(1_000 / requestsPerSec);
    const promptTokens = someTokens(random, PROMPT_TOKENS);
    const outputTokens = someTokens(random, OUTPUT_TOKENS);
    return {
      atMs,
      promptTokens,
      outputTokens,
      blocks: names.blocksOf([{ id: `${i}`, tokens: promptTokens }]),
    };
  });
}
