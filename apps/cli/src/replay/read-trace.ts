import { readFileSync } from 'node:fs';
import { BatonError } from '@baton/kv';
import { readTraceLine, type TraceRequest } from '@baton/sim';

/**
 * The requests of a trace in Mooncake's format, one JSON object in each line.
 *
 * @throws BatonError config_invalid that names the file, or the line and the field
 */
export function readTrace(file: string): TraceRequest[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const what = code === 'ENOENT' ? 'there is no such file' : `it cannot be read (${code})`;
    throw new BatonError('config_invalid', `--trace ${file}: ${what}.`, { cause: error });
  }
  const requests: TraceRequest[] = [];
  let atMs = 0;
  const lines = text.split('\n');
  // The last line of a whole file ends with a line break.
  if (lines.at(-1) === '') lines.pop();
  lines.forEach((line, i) => {
    const request = readTraceLine(line, i + 1, atMs);
    atMs = request.atMs;
    requests.push(request);
  });
  if (requests.length === 0) {
    throw new BatonError('config_invalid', `--trace ${file}: there is no request in it.`);
  }
  return requests;
}
