import { fieldError } from '@baton/openai';
import type { ChatMessage } from '../tokenizer/tokenizer-port.ts';
import type { EngineFields } from './engine-fields.ts';
import type { FrontContext } from './front-context.ts';

/** A message as it came; `content` is checked here. */
interface RawMessage {
  role: string;
  content?: unknown;
}

type ChatOptions = Pick<
  EngineFields,
  'add_generation_prompt' | 'add_special_tokens' | 'chat_template_kwargs'
>;

/** How text parts of one message are put together, as vLLM does for templates that want a string. */
const PART_SEPARATOR = '\n';

/** Tokens of a chat as the model's own template renders it. @throws BatonError that names the field. */
export function chatTokens(
  options: ChatOptions,
  messages: readonly RawMessage[],
  front: FrontContext,
): Promise<Int32Array> {
  return front.tokenizer.tokenizeChat(
    {
      messages: readMessages(messages),
      addGenerationPrompt: options.add_generation_prompt ?? true,
      variables: options.chat_template_kwargs ?? {},
    },
    options.add_special_tokens ?? false,
  );
}

/**
 * Messages as chat templates want them: content as one string, all other fields as they came.
 * @throws BatonError that names the part when it is not text.
 */
function readMessages(messages: readonly RawMessage[]): ChatMessage[] {
  return messages.map((message, i) => ({
    ...message,
    content: readContent(message.content, `messages[${i}].content`),
  }));
}

function readContent(content: unknown, path: string): string | null {
  if (content === undefined || content === null) return null;
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) {
    throw fieldError('invalid_request', path, `${path}: must be a string or an array of parts`);
  }
  return content.map((part: unknown, i) => readPart(part, `${path}[${i}]`)).join(PART_SEPARATOR);
}

function readPart(value: unknown, path: string): string {
  const part: Record<string, unknown> = { ...Object(value) };
  if (part['type'] !== 'text') {
    const field = `${path}.type`;
    throw fieldError('unsupported_parameter', field, `${field}: only text parts are supported`);
  }
  const { text } = part;
  if (typeof text === 'string') return text;
  throw fieldError('invalid_request', `${path}.text`, `${path}.text: expected string`);
}
