/**
 * The model of a stand-in engine: numbers instead of tensors, with the one property of attention that matters here.
 * The KV of a token follows from all tokens before it, and the next token follows from the KV that the engine really
 * reads. Whoever decodes from another prompt's KV, or from a block that was overwritten, gives another answer.
 */

const GOLDEN = 0x9e37_79b1;
const FIRST_PRINTABLE = 0x20;
const PRINTABLES = 95;

/** What a sequence has read before its first token; models and adapters differ in it. */
export function readNothing(model: string, adapter: string | undefined): number {
  let read = 0x811c_9dc5;
  for (const char of `${model}\0${adapter ?? ''}`) {
    read = Math.imul(read ^ (char.codePointAt(0) ?? 0), 0x0100_0193);
  }
  return scrambled(read);
}

/** KV of a token after what was read. */
export function kvOf(read: number, token: number): number {
  return scrambled(read ^ Math.imul(token + 1, GOLDEN));
}

/** What a sequence has read when it has read this KV, too. */
export function readKv(read: number, kv: number): number {
  return scrambled(Math.imul(read, 31) + kv);
}

/** The token that follows: a printable byte, or the end, which comes once in `meanAnswerTokens`; never when that is 0. */
export function nextToken(read: number, meanAnswerTokens: number, endToken: number): number {
  const drawn = scrambled(read ^ 0x5bd1_e995);
  if (meanAnswerTokens > 0 && scrambled(drawn) % meanAnswerTokens === 0) return endToken;
  return FIRST_PRINTABLE + (drawn % PRINTABLES);
}

/** Spreads what is in some bits over all 32. */
function scrambled(value: number): number {
  let bits = value | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85eb_ca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2_ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
