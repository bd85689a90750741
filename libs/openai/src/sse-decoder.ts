import { BatonError } from '@baton/kv';

/** Characters of one event, everything before its empty line. */
export const MAX_EVENT_CHARS = 4 * 1024 * 1024;

const CARRIAGE_RETURN = 13;

/**
 * Bytes of a `text/event-stream` in, the data of its events out. Bytes may be split anywhere: within a character,
 * within a line, between the two halves of a CRLF. Comments and fields other than `data` are dropped.
 */
export class SseDecoder {
  readonly #text = new TextDecoder();
  readonly #maxEventChars: number;
  /** Text of a line whose end has not come yet. */
  #rest = '';
  /** Characters of #rest that are known to hold no line end. */
  #scanned = 0;
  /** A line ended with the last CR of a chunk: an LF at the start of the next one belongs to it. */
  #afterReturn = false;
  #data: string | undefined;
  #eventChars = 0;

  constructor(maxEventChars = MAX_EVENT_CHARS) {
    this.#maxEventChars = maxEventChars;
  }

  /**
   * The data of each event that these bytes complete.
   * @throws BatonError protocol_violation when an event outgrows its limit.
   */
  push(bytes: Uint8Array): string[] {
    const events: string[] = [];
    let text = this.#rest + this.#text.decode(bytes, { stream: true });
    if (this.#afterReturn && text !== '') {
      if (text.charCodeAt(0) === 10) text = text.slice(1);
      this.#afterReturn = false;
    }
    const hasReturns = text.includes('\r', this.#scanned);
    let start = 0;
    let end = nextLineEnd(text, this.#scanned, hasReturns);
    while (end !== -1) {
      this.#line(text.slice(start, end), events);
      start = end + 1;
      if (text.charCodeAt(end) === CARRIAGE_RETURN) {
        if (start === text.length) this.#afterReturn = true;
        else if (text.charCodeAt(start) === 10) start += 1;
      }
      end = nextLineEnd(text, start, hasReturns);
    }
    this.#rest = text.slice(start);
    this.#scanned = this.#rest.length;
    this.#limit(this.#rest.length);
    return events;
  }

  /** True when the stream ended within an event: what came of it is dropped. */
  end(): boolean {
    const rest = this.#rest + this.#text.decode();
    return rest !== '' || this.#data !== undefined;
  }

  #line(line: string, events: string[]): void {
    if (line === '') {
      if (this.#data !== undefined) events.push(this.#data);
      this.#data = undefined;
      this.#eventChars = 0;
      return;
    }
    this.#eventChars += line.length;
    this.#limit(0);
    if (!line.startsWith('data')) return;
    let value = '';
    if (line.length > 4) {
      if (line.charCodeAt(4) !== 58) return;
      value = line.slice(line.charCodeAt(5) === 32 ? 6 : 5);
    }
    this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
  }

  #limit(pendingChars: number): void {
    if (this.#eventChars + pendingChars <= this.#maxEventChars) return;
    throw new BatonError(
      'protocol_violation',
      `An SSE event is longer than ${this.#maxEventChars} characters.`,
    );
  }
}

function nextLineEnd(text: string, from: number, hasReturns: boolean): number {
  const feed = text.indexOf('\n', from);
  if (!hasReturns) return feed;
  const carriage = text.indexOf('\r', from);
  if (feed === -1) return carriage;
  return carriage === -1 ? feed : Math.min(feed, carriage);
}
