import { StringDecoder } from 'node:string_decoder';

/**
 * Lines of a stream, each parsed as JSON. An unfinished last line is left out: it was cut off with the connection.
 *
 * @throws SyntaxError when a line is no JSON; RangeError when one is longer than `maxChars`; the stream's own faults
 */
export async function* jsonLines(
  stream: AsyncIterable<Uint8Array>,
  maxChars: number,
): AsyncGenerator<unknown> {
  const decoder = new StringDecoder('utf8');
  let pieces: string[] = [];
  let chars = 0;
  for await (const bytes of stream) {
    const lines = decoder.write(bytes).split('\n');
    const rest = lines.pop() ?? '';
    for (const line of lines) {
      const whole = pieces.join('') + line;
      pieces = [];
      chars = 0;
      if (whole.trim() !== '') yield JSON.parse(whole);
    }
    pieces.push(rest);
    chars += rest.length;
    if (chars > maxChars) throw new RangeError(`a line of more than ${maxChars} characters`);
  }
}
