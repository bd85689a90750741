import { SeededRandom } from '@baton/kv';
import type { TraceRequest } from '../trace/trace-line.ts';
import { PromptBlocks, tokensOf } from './prompt-blocks.ts';
import { somePopular, someTokens, type WorkloadOptions } from './workload-options.ts';

const SYSTEM_PROMPTS = 40;
const LEAST_SYSTEM_TOKENS = 1_000;
const MORE_SYSTEM_TOKENS = 5_000;
const QUESTION_TOKENS = 400;
const OUTPUT_TOKENS = 250;

/** Short questions to a few assistants, each with a long system prompt; some assistants are asked far more often. */
export function sharedSystemPrompts(options: WorkloadOptions): TraceRequest[] {
  const { requests, requestsPerSec, seed } = options;
  const random = new SeededRandom(seed);
  const names = new PromptBlocks();
  const sizes = Array.from(
    { length: SYSTEM_PROMPTS },
    () => LEAST_SYSTEM_TOKENS + random.below(MORE_SYSTEM_TOKENS),
  );
  let atMs = 0;
  return Array.from({ length: requests }, (_, i) => {
    atMs += random.exponential(1_000 / requestsPerSec);
    const system = somePopular(random, SYSTEM_PROMPTS);
    const parts = [
      { id: `system ${system}`, tokens: sizes[system] ?? 0 },
      { id: `${i}`, tokens: someTokens(random, QUESTION_TOKENS) },
    ];
    const outputTokens = someTokens(random, OUTPUT_TOKENS);
    return { atMs, promptTokens: tokensOf(parts), outputTokens, blocks: names.blocksOf(parts) };
  });
}
