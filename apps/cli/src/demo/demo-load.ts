import { BatonError } from '@baton/kv';

/** Tokens of each prompt behind its last whole segment: there is always something to compute. */
const REST_TOKENS = 8;
const MIN_WORDS = 16;

/** How much is sent; the same in both runs. */
export interface LoadSize {
  conversations: number;
  /** Questions of each. */
  turns: number;
  /** Of what a conversation begins with, behind the system prompt of one segment that all share. */
  openingSegments: number;
}

/** Prompts of a conversation, each the one before it with an answer and the next question, a segment of both. */
export type Conversation = number[][];

/**
 * From much to little. More conversations than two, and an odd number: strict rotation over an even number of workers then
 * never gives a conversation to the same one twice in a row.
 */
const sizes: readonly [LoadSize, ...LoadSize[]] = [
  { conversations: 3, turns: 3, openingSegments: 3 },
  { conversations: 3, turns: 2, openingSegments: 3 },
  { conversations: 3, turns: 2, openingSegments: 1 },
];

/**
 * The largest load that is over in time, or the smallest. Both runs together compute about as many tokens as one of them
 * sends: two thirds in the first and a bit more than one third in the second one.
 */
export function loadSizeFor(
  tokensPerSec: number,
  segmentTokens: number,
  limitSec: number,
): LoadSize {
  const fits = sizes.find((size) => {
    const promptTokens = tokensOf(size, segmentTokens);
    return promptTokens <= tokensPerSec * limitSec;
  });
  return fits ?? sizes.at(-1) ?? sizes[0];
}

/** Prompt tokens of a load. */
export function tokensOf(size: LoadSize, segmentTokens: number): number {
  const { conversations, turns, openingSegments } = size;
  const segments = turns * (1 + openingSegments) + (turns * (turns - 1)) / 2;
  return conversations * (segments * segmentTokens + turns * REST_TOKENS);
}

export interface LoadParts {
  /** Token ids that a prompt may be made of, different ones. */
  words: readonly number[];
  segmentTokens: number;
  /** From 0 on; those of runs on one fleet differ by less than the number of words. */
  salt: number;
  /** A number from 0 to 1, exclusive. */
  random: () => number;
}

/**
 * Conversations behind one system prompt, made of token ids. Two loads with different salts have equal lengths and share
 * what they share at the same places, but from their first token on nothing with each other.
 *
 * @throws BatonError child_failed when there are too few words
 */
export function demoLoad(size: LoadSize, parts: LoadParts): Conversation[] {
  const { words, segmentTokens, salt, random } = parts;
  if (words.length < MIN_WORDS) {
    const message = `A load needs ${MIN_WORDS} different tokens, and the tokenizer made ${words.length}.`;
    throw new BatonError('child_failed', message);
  }
  const word = (index: number): number => words[index % words.length] ?? 0;
  const text = (tokens: number): number[] =>
    Array.from({ length: tokens }, () => word(Math.floor(random() * words.length)));
  const system = [word(salt), ...text(segmentTokens - 1)];
  return Array.from({ length: size.conversations }, (_, conversation) => {
    // Of what is behind the system prompt two conversations share not even the first token.
    const opening = [word(conversation), ...text(size.openingSegments * segmentTokens - 1)];
    const prompts = [[...system, ...opening, ...text(REST_TOKENS)]];
    while (prompts.length < size.turns) {
      prompts.push([...(prompts.at(-1) ?? []), ...text(segmentTokens)]);
    }
    return prompts;
  });
}

/** Different token ids of a text, without what a tokenizer puts before each prompt. */
export function wordsOf(tokens: readonly number[]): number[] {
  return [...new Set(tokens.slice(1))].filter((token) => token !== tokens[0]);
}
