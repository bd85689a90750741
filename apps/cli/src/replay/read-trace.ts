import { readFileSync } from 'node:fs';
import { BatonError } from '@baton/kv';
import { readTraceLine, TRACE_BLOCK_TOKENS, type TraceRequest } from '@baton/sim';

const TOO_LARGE = 'it is larger than the 512 MiB that can be read in one piece';
const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'permission denied',
  ERR_STRING_TOO_LONG: TOO_LARGE,
  ERR_FS_FILE_TOO_LARGE: TOO_LARGE,
};

/**
 * The requests of a trace in Mooncake's format, one JSON object in each line.
 *
 * @param order of the lines: a replay goes by time; where only the prompts matter, any order will do
 * @throws BatonError config_invalid that names the file, or the line and the field
 */
export function readTrace(
  file: string,
  order: 'by-time' | 'any' = 'by-time',
): [TraceRequest, ...TraceRequest[]] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const what = reasons[code ?? ''] ?? `it cannot be read (${code})`;
    throw new BatonError('config_invalid', `--trace ${file}: ${what}.`, { cause: error });
  }
  const requests: TraceRequest[] = [];
  let atMs = 0;
  // A byte order mark is no part of the first line.
  const lines = text.replace(/^\uFEFF/, '').split('\n');
  // The last line of a whole file ends with a line break.
  if (lines.at(-1) === '') lines.pop();
  lines.forEach((line, i) => {
    const request = readTraceLine(line, i + 1, atMs);
    if (order === 'by-time') atMs = request.atMs;
    requests.push(request);
  });
  const [first, ...others] = requests;
  if (first === undefined) {
    throw new BatonError('config_invalid', `--trace ${file}: there is no request in it.`);
  }
  const size = blockTokensOf(first);
  const stray = others.findIndex((request) => blockTokensOf(request) !== size);
  if (stray >= 0) {
    const what = `block_tokens must be ${size} as in the first line`;
    throw new BatonError('config_invalid', `line ${stray + 2} of the trace: ${what}`);
  }
  return [first, ...others];
}

/** Tokens of a block of this request. */
export function blockTokensOf({ blockTokens = TRACE_BLOCK_TOKENS }: TraceRequest): number {
  return blockTokens;
}
