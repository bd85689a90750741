import { BatonError } from '@baton/kv';
import { field, list } from '../json-fields.ts';
import { printable } from '../render/terminal-text.ts';

const TOKENIZE_MS = 30_000;

/** A worker that can tokenize, and what its keys are made with. */
export interface Tokenizer {
  workerId: string;
  model: string;
  engineUrl: string;
  tokenization: string;
  segmentTokens: number;
}

/** @throws BatonError config_invalid when no worker is ready, or it is not clear which model is meant */
export function chooseTokenizer(answer: unknown, model: string | undefined): Tokenizer {
  const ready = list(field(answer, 'workers'))
    .filter((worker) => field(worker, 'state') === 'ready')
    .map(readTokenizer);
  const models = [...new Set(ready.map((worker) => worker.model))];
  const known = models.map((name) => `"${name}"`).join(', ');
  if (models.length === 0) {
    throw new BatonError(
      'config_invalid',
      'No worker is ready, so nobody can tokenize the prompt.',
    );
  }
  if (model === undefined && models.length > 1) {
    throw new BatonError(
      'config_invalid',
      `There are several models: choose by --model: ${known}.`,
    );
  }
  const found = ready.find((worker) => model === undefined || worker.model === model);
  if (found !== undefined) return found;
  throw new BatonError(
    'config_invalid',
    `No ready worker has the model "${model}"; there is ${known}.`,
  );
}

function readTokenizer(worker: unknown): Tokenizer {
  const text = (key: string): string => String(field(worker, key) ?? '');
  return {
    workerId: text('workerId'),
    model: text('model'),
    engineUrl: text('engineUrl'),
    tokenization: text('tokenization'),
    segmentTokens: Number(field(worker, 'segmentTokens') ?? 0),
  };
}

/** Of a request for chat or completion without its model. @throws BatonError child_failed */
export async function tokenize(
  { workerId, model, engineUrl }: Tokenizer,
  body: Record<string, unknown>,
): Promise<number[]> {
  const { prompt } = body;
  if (Array.isArray(prompt) && prompt.every((token) => Number.isInteger(token))) return prompt;
  const request = new TextEncoder().encode(JSON.stringify({ ...body, model }));
  const answer = await postBytes(`${engineUrl}/tokenize`, request, 'application/json', TOKENIZE_MS);
  const tokens = list(field(answer, 'tokens'));
  if (tokens.length > 0 && tokens.every((token) => Number.isInteger(token))) {
    return tokens as number[];
  }
  throw new BatonError('child_failed', `${workerId} made no tokens of the prompt.`);
}

/** POST to one of our own processes; the answer is JSON. @throws BatonError child_failed with what the process says */
export async function postBytes(
  url: string,
  body: Uint8Array<ArrayBuffer>,
  contentType: string,
  timeoutMs: number,
): Promise<unknown> {
  let response: Response;
  let text: string;
  try {
    const headers = { 'content-type': contentType };
    const signal = AbortSignal.timeout(timeoutMs);
    response = await fetch(url, { method: 'POST', headers, body, signal });
    text = await response.text();
  } catch (error) {
    throw new BatonError('child_failed', `${url} does not answer.`, { cause: error });
  }
  const answer = parsed(text);
  if (response.ok && answer !== undefined) return answer;
  const why = field(field(answer, 'error'), 'message');
  const said = typeof why === 'string' ? `: ${printable(why)}` : '.';
  throw new BatonError('child_failed', `${url} answered ${response.status}${said}`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
