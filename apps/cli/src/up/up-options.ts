import { accessSync, closeSync, constants, openSync, readSync, statSync } from 'node:fs';
import path from 'node:path';
import { BatonError } from '@baton/kv';

/** Most workers of one role: each is two processes. */
export const maxWorkersPerRole = 32;

export interface UpOptions {
  /** Path of a GGUF file, `tiny`, or undefined for the real small model. */
  model: string | undefined;
  prefill: number;
  decode: number;
  /** As given; undefined takes 8080 or the next free one. */
  port: number | undefined;
  host: string;
  /** Of the conductor's admin API; undefined takes a free one. */
  adminPort: number | undefined;
  /** How workers are chosen, and who is next; undefined leaves it to the conductor. */
  policy: string | undefined;
  queue: string | undefined;
  /** Path of a new file for a log of the requests; undefined records none. */
  record: string | undefined;
  reproducible: boolean;
  /** DRAM arena of each worker, bytes; undefined leaves it to the agent. */
  dramBytes: number | undefined;
  natsServer: string | undefined;
  readyTimeoutMs: number;
  verbose: boolean;
}

/** @throws BatonError config_invalid when one port is given twice */
export function requireOtherPort({ port, adminPort }: UpOptions): void {
  if (port === undefined || port !== adminPort) return;
  throw new BatonError('config_invalid', `--port and --admin-port are both ${port}.`);
}

/** What is wrong with a value, as `name must be …, "x" is not.` */
function wrong(name: string, mustBe: string, value: string): BatonError {
  return new BatonError(
    'config_invalid',
    `${name} must be ${mustBe}, ${JSON.stringify(value.slice(0, 80))} is not.`,
    { details: { field: name } },
  );
}

export function wholeNumber(name: string, min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw wrong(name, `a whole number from ${min} to ${max}`, text);
  };
}

const unitBytes: Readonly<Record<string, number>> = {
  '': 1,
  k: 1000,
  m: 1000 ** 2,
  g: 1000 ** 3,
  ki: 1024,
  mi: 1024 ** 2,
  gi: 1024 ** 3,
};

const minDramBytes = 1024 * 1024;

/** `256MiB`, `2GB`, `1073741824`. */
export function byteSize(name: string): (text: string) => number {
  return (text) => {
    const [, number, unit = ''] = /^(\d+(?:\.\d+)?)\s*([kmg]i?)?b?$/i.exec(text) ?? [];
    const bytes = Math.floor(Number(number) * (unitBytes[unit.toLowerCase()] ?? Number.NaN));
    if (Number.isSafeInteger(bytes) && bytes >= minDramBytes) return bytes;
    throw wrong(name, 'a size of at least 1MiB, such as 256MiB or 2GB', text);
  };
}

export function listenHost(name: string): (text: string) => string {
  return (text) => {
    if (/^[A-Za-z0-9.:_-]{1,255}$/.test(text)) return text;
    throw wrong(name, 'a host name or an address', text);
  };
}

/**
 * Whole path of the file in which requests are to be recorded.
 * @throws BatonError config_invalid when there is such a file already, or no folder in which it can be made
 */
export function recordFile(given: string): string {
  const file = path.resolve(given);
  const refuse = (why: string): never => {
    const details = { field: '--record' };
    throw new BatonError('config_invalid', `--record must be a new file: ${why}.`, { details });
  };
  if (statSync(file, { throwIfNoEntry: false }) !== undefined) refuse(`${file} is there already`);
  const folder = path.dirname(file);
  const isFolder = statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
  if (!isFolder) return refuse(`there is no folder ${folder}`);
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch {
    return refuse(`none can be made in ${folder}`);
  }
  return file;
}

const ggufMagic = 'GGUF';

/** The model file, checked as far as that is possible without loading it. */
export function modelFile(given: string): string {
  const file = path.resolve(given);
  const info = statSync(file, { throwIfNoEntry: false });
  if (info === undefined) {
    throw new BatonError('model_file_missing', `The model file ${file} does not exist.`);
  }
  if (!info.isFile()) throw new BatonError('model_file_missing', `${file} is not a file.`);
  let magic: string;
  try {
    magic = firstChars(file, ggufMagic.length);
  } catch (cause) {
    throw new BatonError('model_file_missing', `The model file ${file} cannot be read.`, { cause });
  }
  if (magic === ggufMagic) return file;
  throw new BatonError(
    'model_not_supported',
    `${file} is not a GGUF file: take one made for llama.cpp.`,
  );
}

function firstChars(file: string, count: number): string {
  const descriptor = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(count);
    readSync(descriptor, bytes);
    return bytes.toString('latin1');
  } finally {
    closeSync(descriptor);
  }
}
