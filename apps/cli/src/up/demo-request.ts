/** How many tokens the printed prompt has at least: five segments of 64 and some. */
export const demoPromptTokens = 330;

const maxDigits = 8192;
const tokenizeTimeoutMs = 5_000;
const question = 'These are the first digits of pi. In two sentences, tell me what pi is used for.';

export interface DemoRequest {
  body: string;
  promptTokens: number | undefined;
}

/**
 * A chat request whose prompt is long enough that KV visibly moves.
 *
 * Most tokenizers give a digit a token of its own, which makes the shortest text for many tokens; `countTokens` tells
 * what the model at hand makes of it, and the text grows until it is enough.
 */
export async function demoRequest(
  model: string,
  countTokens: (messages: unknown) => Promise<number | undefined>,
): Promise<DemoRequest> {
  for (let digits = 300; ; digits = Math.ceil(digits * 1.5)) {
    const messages = [{ role: 'user', content: `${piDigits(digits)}\n${question}` }];
    const promptTokens = await countTokens(messages);
    if (promptTokens === undefined || promptTokens >= demoPromptTokens || digits > maxDigits) {
      const body = JSON.stringify({
        model,
        messages,
        max_tokens: 64,
        temperature: 0,
        stream: true,
      });
      return { body, promptTokens };
    }
  }
}

/** A command line for a POSIX shell, pasted as it is. */
export function curlCommand(gatewayUrl: string, body: string): string {
  const url = `${gatewayUrl}/v1/chat/completions`;
  return `curl -sN ${url} -H 'content-type: application/json' -d ${shellQuoted(body)}`;
}

export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** `3.14159…` with so many digits after the point, by Machin's formula in integers. */
export function piDigits(digits: number): string {
  const guard = 10n;
  const one = 10n ** (BigInt(digits) + guard);
  const pi = 4n * (4n * arctanOfInverse(5n, one) - arctanOfInverse(239n, one));
  const text = (pi / 10n ** guard).toString();
  return `${text[0]}.${text.slice(1)}`;
}

function arctanOfInverse(x: bigint, one: bigint): bigint {
  let power = one / x;
  let sum = power;
  for (let n = 3n, sign = -1n; power !== 0n; n += 2n, sign = -sign) {
    power /= x * x;
    sum += (sign * power) / n;
  }
  return sum;
}

/** What a chat becomes as a prompt, by the engine's own tokenizer and template. */
export async function countTokens(
  { engineUrl, model }: { engineUrl: string; model: string },
  messages: unknown,
): Promise<number | undefined> {
  try {
    const response = await fetch(`${engineUrl}/tokenize`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages }),
      signal: AbortSignal.timeout(tokenizeTimeoutMs),
    });
    const { count } = (await response.json()) as { count?: unknown };
    return typeof count === 'number' ? count : undefined;
  } catch {
    return undefined;
  }
}
