import type { ChatTurn } from '../model/byte-tokenizer.ts';
import { EngineError } from './engine-error.ts';

interface RawMessage {
  role: string;
  content?: unknown;
}

/** Messages whose shape was checked, as the template wants them. @throws EngineError for parts that are no text. */
export function chatTurns(messages: unknown): ChatTurn[] {
  return (messages as RawMessage[]).map(({ role, content }, i) => ({
    role,
    content: contentOf(content, `messages[${i}].content`),
  }));
}

function contentOf(content: unknown, path: string): string {
  if (content === undefined || content === null) return '';
  if (typeof content === 'string') return content;
  const parts = content as { type?: unknown; text?: unknown }[];
  return parts
    .map((part) => {
      if (part.type === 'text' && typeof part.text === 'string') return part.text;
      throw new EngineError(400, `${path}: a stand-in engine takes text only`, path);
    })
    .join('\n');
}
