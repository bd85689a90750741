import type { Readable } from 'node:stream';

const maxLineChars = 65_536;

/** Calls `onLine` for each line of a stream; an overlong one comes in pieces. */
export function readLines(stream: Readable, onLine: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) emit(line);
    while (rest.length > maxLineChars) {
      onLine(rest.slice(0, maxLineChars));
      rest = rest.slice(maxLineChars);
    }
  });
  stream.on('end', () => emit(rest));
  stream.on('error', () => {});

  function emit(line: string): void {
    const text = line.trimEnd();
    if (text !== '') onLine(text);
  }
}
