import { SeededRandom } from '../time/seeded-random.ts';
import type { TraceRequest } from '../trace/trace-line.ts';
import { PromptBlocks, tokensOf, type PromptPart } from './prompt-blocks.ts';
import { someTokens, type WorkloadOptions } from './workload-options.ts';

const SYSTEM_TOKENS = 800;
const TURNS = 6;
const FIRST_MESSAGE_TOKENS = 1_200;
const MESSAGE_TOKENS = 200;
const OUTPUT_TOKENS = 300;
/** From one message of a user to the next. */
const LEAST_PAUSE_MS = 10_000;
const MORE_PAUSE_MS = 40_000;

/**
 * Conversations: each turn's prompt is the one before, its answer and a new message. A conversation has six turns on
 * average, with some time to read between them.
 */
export function multiTurnChat(options: WorkloadOptions): TraceRequest[] {
  const { requests, requestsPerSec, seed } = options;
  const random = new SeededRandom(seed);
  const names = new PromptBlocks();
  const all: TraceRequest[] = [];
  let beginMs = 0;
  for (let chat = 0; all.length < requests; chat += 1) {
    beginMs += random.exponential((1_000 * TURNS) / requestsPerSec);
    const turns = Math.min(someTokens(random, TURNS), requests - all.length);
    const parts: PromptPart[] = [{ id: 'system', tokens: SYSTEM_TOKENS }];
    let atMs = beginMs;
    for (let turn = 0; turn < turns; turn += 1) {
      const mean = turn === 0 ? FIRST_MESSAGE_TOKENS : MESSAGE_TOKENS;
      parts.push({ id: `${chat} message ${turn}`, tokens: someTokens(random, mean) });
      const outputTokens = someTokens(random, OUTPUT_TOKENS);
      all.push({
        atMs,
        promptTokens: tokensOf(parts),
        outputTokens,
        blocks: names.blocksOf(parts),
      });
      parts.push({ id: `${chat} answer ${turn}`, tokens: outputTokens });
      atMs += LEAST_PAUSE_MS + random.exponential(MORE_PAUSE_MS);
    }
  }
  return all.sort((a, b) => a.atMs - b.atMs);
}
