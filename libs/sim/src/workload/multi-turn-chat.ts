import { SeededRandom } from '@baton/kv';
import type { TraceRequest } from '../trace/trace-line.ts';
import { PromptBlocks, tokensOf, type PromptPart } from './prompt-blocks.ts';
import { someTokens, type WorkloadOptions } from './workload-options.ts';

const SYSTEM_TOKENS = 800;
const TURNS = 8;
/** What the conversation is about: a file, a page, a longer question. */
const FIRST_MESSAGE_TOKENS = 6_000;
const MESSAGE_TOKENS = 300;
const OUTPUT_TOKENS = 400;
/** From one message of a user to the next. */
const LEAST_PAUSE_MS = 5_000;
const MORE_PAUSE_MS = 15_000;

interface Turn {
  sessionId: string;
  atMs: number;
  outputTokens: number;
  parts: readonly PromptPart[];
}

/**
 * Conversations: each turn's prompt is the one before, its answer and a new message. A conversation has eight turns on
 * average, with some time to read between them. The first conversations begin at the beginning, so that it takes some
 * minutes until requests come at their rate.
 */
export function multiTurnChat({ requests, requestsPerSec, seed }: WorkloadOptions): TraceRequest[] {
  const random = new SeededRandom(seed);
  const beginsEveryMs = (1_000 * TURNS) / requestsPerSec;
  const turns: Turn[] = [];
  let beginMs = 0;
  let chats = 0;
  // Whatever begins later comes later: up to the last begin the turns are complete.
  while (turns.filter(({ atMs }) => atMs <= beginMs).length < requests) {
    for (const untilMs = beginMs + (1_000 * requests) / requestsPerSec; beginMs < untilMs;) {
      beginMs += random.exponential(beginsEveryMs);
      turns.push(...conversation(chats, beginMs, random));
      chats += 1;
    }
  }
  const names = new PromptBlocks();
  return turns
    .sort((a, b) => a.atMs - b.atMs)
    .slice(0, requests)
    .map(({ atMs, sessionId, outputTokens, parts }) => ({
      ...{ atMs, sessionId, outputTokens, promptTokens: tokensOf(parts) },
      blocks: names.blocksOf(parts),
    }));
}

function conversation(chat: number, beginMs: number, random: SeededRandom): Turn[] {
  const turns: Turn[] = [];
  const count = someTokens(random, TURNS);
  const parts: PromptPart[] = [{ id: 'system', tokens: SYSTEM_TOKENS }];
  let atMs = beginMs;
  for (let turn = 0; turn < count; turn += 1) {
    const mean = turn === 0 ? FIRST_MESSAGE_TOKENS : MESSAGE_TOKENS;
    parts.push({ id: `${chat} message ${turn}`, tokens: someTokens(random, mean) });
    const outputTokens = someTokens(random, OUTPUT_TOKENS);
    turns.push({ atMs, sessionId: `chat-${chat}`, outputTokens, parts: [...parts] });
    parts.push({ id: `${chat} answer ${turn}`, tokens: outputTokens });
    atMs += LEAST_PAUSE_MS + random.exponential(MORE_PAUSE_MS);
  }
  return turns;
}
