import { BatonError } from '@baton/kv';
import { fieldError } from '@baton/openai';
import type { AcceptedRequest } from './accept-request.ts';
import type { PromptTokens } from './prompt-tokens.ts';

/**
 * Output tokens that the request may have: what the client allows, or what is left of the window up to a default.
 * @throws BatonError context_length_exceeded before any engine has worked on the prompt.
 */
export function outputBudget(
  request: AcceptedRequest,
  prompt: PromptTokens,
  defaultOutputTokens: number,
): number {
  const promptField = request.api === 'chat' ? 'messages' : 'prompt';
  const promptTokens = prompt.tokens.length;
  const { windowTokens } = prompt;
  if (promptTokens === 0) {
    throw fieldError('invalid_request', promptField, `${promptField}: the prompt has no tokens`);
  }
  const left = windowTokens - promptTokens;
  if (left < 1) {
    throw exceeded(promptField, windowTokens, `the prompt has ${promptTokens}`);
  }
  if (request.outputLimit === undefined) return Math.min(left, defaultOutputTokens);
  const { tokens, field } = request.outputLimit;
  if (tokens > left) {
    throw exceeded(
      field,
      windowTokens,
      `the prompt has ${promptTokens} and ${field} asks for ${tokens} more`,
    );
  }
  return tokens;
}

function exceeded(field: string, windowTokens: number, what: string): BatonError {
  const message = `The context of this model has ${windowTokens} tokens, but ${what}.`;
  return fieldError('context_length_exceeded', field, message);
}
