import { closeSync, openSync, readSync } from 'node:fs';
import { BatonError } from '@baton/kv';
import { isObject } from '../json-fields.ts';
import { printable } from '../render/terminal-text.ts';

const MAX_FILE_BYTES = 32 * 1024 * 1024;

/** What a file is taken for. */
export type PromptForm = 'text' | 'text of a chat' | 'chat request' | 'completion request';

/** Flags that say what is in the file; without any, what looks like JSON is a request. */
export interface ReadAs {
  isChat: boolean;
  isText: boolean;
}

/** A prompt as `/tokenize` of an engine takes it. */
export interface FilePrompt {
  form: PromptForm;
  body: Record<string, unknown>;
  /** Model and salt of a request; the salt is in its keys. */
  model: string | undefined;
  salt: string | undefined;
}

/**
 * Reads a prompt: text, or a request body of the OpenAI API in JSON with `messages` or `prompt`. With `isChat` text is
 * the only message of a chat. A file that ends in `.json` or begins with `{` is a request unless `isText`.
 *
 * @throws BatonError config_invalid
 */
export function readPrompt(file: string, { isChat, isText }: ReadAs): FilePrompt {
  const text = readText(file);
  if (text === '') throw new BatonError('config_invalid', `The prompt file "${file}" is empty.`);
  if (!isText && (/\.json$/i.test(file) || /^\s*\{/.test(text))) {
    const request = readRequest(file, text);
    if (!isChat) return request;
    throw new BatonError(
      'config_invalid',
      `--chat is for text, and "${file}" is a ${request.form}: leave --chat out, or add --text.`,
    );
  }
  const said = { model: undefined, salt: undefined };
  if (!isChat) return { form: 'text', body: { prompt: text }, ...said };
  const body = { messages: [{ role: 'user', content: text }] };
  return { form: 'text of a chat', body, ...said };
}

function readText(file: string): string {
  let bytes: Buffer | undefined;
  try {
    bytes = readAtMost(file, MAX_FILE_BYTES);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EISDIR') {
      throw new BatonError('config_invalid', `"${file}" is a folder.`, { cause: error });
    }
    const why = code === 'ENOENT' ? 'is not there' : `cannot be read (${code})`;
    throw new BatonError('config_invalid', `The prompt file "${file}" ${why}.`, { cause: error });
  }
  if (bytes === undefined) {
    const limit = MAX_FILE_BYTES / 1024 / 1024;
    throw new BatonError('config_invalid', `"${file}" is larger than ${limit} MiB.`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new BatonError('config_invalid', `The prompt file "${file}" is not UTF-8 text.`);
  }
}

/** Undefined when there are more bytes, which a pipe or a device does not say before. */
function readAtMost(file: string, maxBytes: number): Buffer | undefined {
  const bytes = Buffer.allocUnsafe(maxBytes + 1);
  const descriptor = openSync(file, 'r');
  try {
    let length = 0;
    for (let read = -1; read !== 0 && length <= maxBytes; length += read) {
      read = readSync(descriptor, bytes, length, bytes.length - length, null);
    }
    return length <= maxBytes ? bytes.subarray(0, length) : undefined;
  } finally {
    closeSync(descriptor);
  }
}

function readRequest(file: string, text: string): FilePrompt {
  let value: unknown;
  let fault: string | undefined;
  try {
    value = JSON.parse(text);
    fault = faultOf(value);
  } catch (error) {
    fault = `it is no JSON: ${printable((error as SyntaxError).message)}`;
  }
  if (fault !== undefined || !isObject(value)) {
    throw new BatonError(
      'config_invalid',
      `"${file}" looks like a request in JSON, but ${fault}. With --text it is taken as plain text.`,
    );
  }
  const { cache_salt: salt, model, ...body } = value;
  return {
    form: isThere(value['messages']) ? 'chat request' : 'completion request',
    body,
    model: typeof model === 'string' ? model : undefined,
    salt: typeof salt === 'string' ? salt : undefined,
  };
}

/** Why this is no request; undefined when it is one. What is in a message, the engine checks. */
function faultOf(value: unknown): string | undefined {
  if (!isObject(value)) return 'it is no object';
  const { messages, prompt, model, cache_salt: salt } = value;
  if (isThere(model) && typeof model !== 'string') return '"model" is no string';
  if (isThere(salt) && typeof salt !== 'string') return '"cache_salt" is no string';
  if (isThere(messages) && isThere(prompt)) return 'it has both "messages" and "prompt"';
  if (isThere(messages)) {
    const isRight = Array.isArray(messages) && messages.length > 0 && messages.every(isObject);
    return isRight ? undefined : '"messages" is no list of messages';
  }
  if (!isThere(prompt)) return 'it has neither "messages" nor "prompt"';
  const isTokens = Array.isArray(prompt) && prompt.every((token) => Number.isInteger(token));
  if ((typeof prompt === 'string' || isTokens) && prompt.length > 0) return undefined;
  return '"prompt" is neither one text nor one list of tokens';
}

/** For the OpenAI API null is as good as nothing. */
function isThere(value: unknown): boolean {
  return value !== undefined && value !== null;
}
