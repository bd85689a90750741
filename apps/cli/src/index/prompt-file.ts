import { readFileSync, statSync } from 'node:fs';
import { BatonError } from '@baton/kv';
import { isObject } from '../json-fields.ts';

const MAX_FILE_BYTES = 32 * 1024 * 1024;

/** A prompt as `/tokenize` of an engine takes it. */
export interface FilePrompt {
  body: Record<string, unknown>;
  /** Salt of the request, which is in its keys. */
  salt: string | undefined;
}

/**
 * Reads a prompt: text, or a request body of the OpenAI API in JSON with `messages` or `prompt`. With `isChat` text is
 * the only message of a chat.
 *
 * @throws BatonError config_invalid
 */
export function readPrompt(file: string, isChat: boolean): FilePrompt {
  const text = readText(file);
  const request = requestOf(text);
  if (request === undefined) {
    return {
      body: isChat ? { messages: [{ role: 'user', content: text }] } : { prompt: text },
      salt: undefined,
    };
  }
  const { cache_salt: salt, ...body } = request;
  return { body, salt: typeof salt === 'string' ? salt : undefined };
}

function readText(file: string): string {
  let size: number;
  let bytes: Buffer;
  try {
    const stats = statSync(file);
    if (stats.isDirectory()) throw new BatonError('config_invalid', `"${file}" is a folder.`);
    size = stats.size;
    if (size > MAX_FILE_BYTES) {
      const limit = MAX_FILE_BYTES / 1024 / 1024;
      throw new BatonError('config_invalid', `"${file}" is larger than ${limit} MiB.`);
    }
    bytes = readFileSync(file);
  } catch (error) {
    if (error instanceof BatonError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'is not there' : `cannot be read (${code})`;
    throw new BatonError('config_invalid', `The prompt file "${file}" ${why}.`, { cause: error });
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new BatonError('config_invalid', `The prompt file "${file}" is not UTF-8 text.`);
  }
}

/** Undefined for text that is no request. */
function requestOf(text: string): Record<string, unknown> | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && ('messages' in value || 'prompt' in value) ? value : undefined;
  } catch {
    return undefined;
  }
}
