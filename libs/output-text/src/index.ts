/**
 * The text of an engine's output tokens, as a client may see it.
 *
 * Data flow: a token's bytes → whole characters (StreamDetokenizer) → text without stop strings (StopMatcher); OutputText
 * is both. Invariants: what comes out does not depend on how bytes and text were cut; nothing after the start of a stop
 * string is ever shown. Cost: one pass over the text, times the number of stop strings.
 *
 * @module
 */
export { OutputText } from './output-text.ts';
export type { TokenPieces } from './stream-detokenizer.ts';
