import type { ChatRequest } from '@baton/openai';
import { fieldError } from '@baton/openai';
import type { ChatMessage } from '../tokenizer/tokenizer-port.ts';

/** How text parts of one message are put together, as vLLM does for templates that want a string. */
const PART_SEPARATOR = '\n';

/**
 * Messages as chat templates want them: content as one string, all other fields as they came.
 * @throws BatonError that names the part when it is not text.
 */
export function readMessages(messages: ChatRequest['messages']): ChatMessage[] {
  return messages.map((message, i) => ({
    ...message,
    content: readContent(message.content, `messages[${i}].content`),
  }));
}

function readContent(content: unknown, path: string): string | null {
  if (content === undefined || content === null) return null;
  if (typeof content === 'string') return content;
  const parts = content as Record<string, unknown>[];
  return parts.map((part, i) => readPart(part, `${path}[${i}]`)).join(PART_SEPARATOR);
}

function readPart(part: Record<string, unknown>, path: string): string {
  if (part['type'] !== 'text') {
    const field = `${path}.type`;
    throw fieldError('unsupported_parameter', field, `${field}: only text parts are supported`);
  }
  const { text } = part;
  if (typeof text === 'string') return text;
  throw fieldError('invalid_request', `${path}.text`, `${path}.text: expected string`);
}
