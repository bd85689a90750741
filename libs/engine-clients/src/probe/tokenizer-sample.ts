import { hash } from 'node:crypto';
import { readTokenizeAnswer } from '@baton/openai';
import { jsonOf } from './ask-engine.ts';
import { unusable, type Ask, type ProbedEngine } from './probed-engine.ts';

/** Words, figures, white space, accents, other scripts, an emoji: where tokenizers differ. */
const SAMPLE_TEXT = 'The 42 quick  foxes\n\tjumped over naïve Ωmega, 東京 and 🚀!';
const SAMPLE_CHAT = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: SAMPLE_TEXT },
];

/**
 * How an engine cuts a text and renders a chat, and the window that it tells with it, 0 for none.
 *
 * @throws BatonError config_invalid when it gives no tokens of a text
 */
export async function sampleTokenizer(
  engineUrl: string,
  model: string,
  ask: Ask,
): Promise<Pick<ProbedEngine, 'tokenization' | 'takesChats'> & { windowTokens: number }> {
  const text = await ask('/tokenize', { model, prompt: SAMPLE_TEXT });
  const cut = readTokenizeAnswer(jsonOf(text));
  if (cut === undefined) {
    throw unusable(engineUrl, `answers ${text.status} to POST /tokenize, and no tokens`);
  }
  // A model without a chat template refuses it: that is as much a part of how it treats chats.
  const chat = readTokenizeAnswer(jsonOf(await ask('/tokenize', { model, messages: SAMPLE_CHAT })));
  const cuts = JSON.stringify([cut.tokens, chat?.tokens ?? []]);
  return {
    tokenization: hash('sha256', cuts, 'hex').slice(0, 32),
    takesChats: chat !== undefined,
    windowTokens: cut.max_model_len,
  };
}
