export interface TokenLogprob {
  token: number;
  /** Natural logarithm of the probability at temperature 1, before penalties and filters. */
  logprob: number;
}

export interface Logprobs {
  /** Of the token that was chosen. */
  logprob: number;
  /** The most likely tokens, most likely first; equal ones by token id. */
  top: TokenLogprob[];
}

/** Log probabilities of the chosen token and of the `count` most likely ones; one pass and a small sorted list. */
export function logprobsOf(logits: Float32Array, chosen: number, count: number): Logprobs {
  let max = -Infinity;
  for (const value of logits) if (value > max) max = value;
  let sum = 0;
  for (const value of logits) sum += Math.exp(value - max);
  const logSum = max + Math.log(sum);
  return {
    logprob: (logits[chosen] ?? -Infinity) - logSum,
    top: largest(logits, count).map((token) => ({
      token,
      logprob: (logits[token] ?? -Infinity) - logSum,
    })),
  };
}

function largest(logits: Float32Array, count: number): number[] {
  const best: number[] = [];
  if (count <= 0) return best;
  let floor = -Infinity;
  for (let token = 0; token < logits.length; token += 1) {
    const value = logits[token] ?? -Infinity;
    if (best.length === count && value <= floor) continue;
    let at = best.length;
    while (at > 0 && value > (logits[best[at - 1] ?? 0] ?? -Infinity)) at -= 1;
    best.splice(at, 0, token);
    if (best.length > count) best.pop();
    floor = logits[best[best.length - 1] ?? 0] ?? -Infinity;
  }
  return best;
}
