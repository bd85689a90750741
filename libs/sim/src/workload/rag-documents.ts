import { SeededRandom } from '@baton/kv';
import type { TraceRequest } from '../trace/trace-line.ts';
import { PromptBlocks, tokensOf } from './prompt-blocks.ts';
import { somePopular, someTokens, type WorkloadOptions } from './workload-options.ts';

const DOCUMENTS = 400;
const DOCUMENTS_PER_PROMPT = 4;
const LEAST_DOCUMENT_TOKENS = 500;
const MORE_DOCUMENT_TOKENS = 3_000;
const SYSTEM_TOKENS = 300;
const QUESTION_TOKENS = 60;
const OUTPUT_TOKENS = 150;

/** Questions with the documents that were found for them: a prefix is shared as far as the same ones come first. */
export function ragDocuments(options: WorkloadOptions): TraceRequest[] {
  const { requests, requestsPerSec, seed } = options;
  const random = new SeededRandom(seed);
  const names = new PromptBlocks();
  const sizes = Array.from(
    { length: DOCUMENTS },
    () => LEAST_DOCUMENT_TOKENS + random.below(MORE_DOCUMENT_TOKENS),
  );
  let atMs = 0;
  return Array.from({ length: requests }, (_, i) => {
    atMs += random.exponential(1_000 / requestsPerSec);
    const found = new Set<number>();
    while (found.size < DOCUMENTS_PER_PROMPT) found.add(somePopular(random, DOCUMENTS));
    const parts = [
      { id: 'system', tokens: SYSTEM_TOKENS },
      ...[...found].map((at) => ({ id: `document ${at}`, tokens: sizes[at] ?? 0 })),
      { id: `${i}`, tokens: someTokens(random, QUESTION_TOKENS) },
    ];
    const outputTokens = someTokens(random, OUTPUT_TOKENS);
    return { atMs, promptTokens: tokensOf(parts), outputTokens, blocks: names.blocksOf(parts) };
  });
}
