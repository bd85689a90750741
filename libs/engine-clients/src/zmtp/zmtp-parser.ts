/** Bits of a frame's first byte. */
const MORE = 1;
const LONG = 2;
const COMMAND = 4;
const GREETING_BYTES = 64;
const FIRST_BYTES = 64 * 1024;
/** A buffer that one large message made longer than this is given back after it. */
const MAX_KEPT_BYTES = 4 * 1024 * 1024;
/** Messages of more frames are none that we know. */
const MAX_FRAMES = 16;
const SHORT_HEADER = 2;
const LONG_HEADER = 9;
const INCOMPLETE = -1;

export interface ZmtpHandler {
  greeting(greeting: Buffer): void;
  command(body: Buffer): void;
  /** Frames of one message; views that are valid during the call only, the array too. */
  message(frames: Buffer[]): void;
  /** A message beyond the limit, the rest of which was skipped: the frames before the one that passed it. */
  oversized(frames: Buffer[]): void;
  /** The bytes make no sense; nothing more is read. */
  broken(reason: string): void;
}

/**
 * Takes the bytes of a ZMTP 3 connection apart. Bytes are read straight into {@link space}; a message is handed over
 * as views into the same buffer, without a copy.
 */
export class ZmtpParser {
  readonly #handler: ZmtpHandler;
  /** Of all frames of a message together, with their headers. */
  readonly #maxMessageBytes: number;
  #buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  /** What is between the two is to be parsed; it begins with a whole frame header. */
  #start = 0;
  #end = 0;
  #isGreeted = false;
  /** Bytes of a frame that is skipped that are still to come. */
  #skipBytes = 0;
  /** The rest of the present message is thrown away. */
  #isSkipping = false;
  #isEnded = false;
  readonly #frames: Buffer[] = [];

  constructor(handler: ZmtpHandler, maxMessageBytes: number) {
    this.#handler = handler;
    this.#maxMessageBytes = maxMessageBytes;
  }

  /** Where the next bytes of the connection go; never empty. */
  space(): Buffer {
    return this.#buffer.subarray(this.#end);
  }

  /** So many bytes have been written to {@link space}. */
  advance(bytes: number): void {
    this.#end += bytes;
    this.#parse();
    this.#makeRoom();
  }

  /** Nothing is handed over any more, not even what is in the buffer. */
  end(): void {
    this.#isEnded = true;
  }

  #parse(): void {
    if (!this.#isGreeted) {
      if (this.#end < GREETING_BYTES) return;
      this.#isGreeted = true;
      this.#start = GREETING_BYTES;
      this.#handler.greeting(this.#buffer.subarray(0, GREETING_BYTES));
    }
    while (!this.#isEnded && this.#start < this.#end) {
      const after = this.#skipBytes > 0 ? this.#skip() : this.#parseOne();
      if (after === INCOMPLETE) return;
      this.#start = after;
    }
  }

  #skip(): number {
    const skipped = Math.min(this.#skipBytes, this.#end - this.#start);
    this.#skipBytes -= skipped;
    return this.#start + skipped;
  }

  /** Hands over the command or message that begins here. Returns where the next one begins. */
  #parseOne(): number {
    const frames = this.#frames;
    frames.length = 0;
    for (let at = this.#start; ;) {
      if (at >= this.#end) return INCOMPLETE;
      const flags = this.#buffer[at] ?? 0;
      const header = (flags & LONG) !== 0 ? LONG_HEADER : SHORT_HEADER;
      if (at + header > this.#end) return INCOMPLETE;
      const length = this.#lengthAt(at + 1, header);
      const body = at + header;
      if (this.#isSkipping || body + length - this.#start > this.#maxMessageBytes) {
        return this.#startSkip(flags, body, length);
      }
      if (body + length > this.#end) return INCOMPLETE;
      const frame = this.#buffer.subarray(body, body + length);
      at = body + length;
      if ((flags & COMMAND) !== 0) {
        this.#handler.command(frame);
        return at;
      }
      frames.push(frame);
      if ((flags & MORE) === 0) {
        this.#handler.message(frames);
        return at;
      }
      if (frames.length === MAX_FRAMES) {
        return this.#break(`a message of more than ${MAX_FRAMES} frames`);
      }
    }
  }

  #lengthAt(at: number, header: number): number {
    if (header === SHORT_HEADER) return this.#buffer[at] ?? 0;
    return this.#buffer.readUInt32BE(at) * 2 ** 32 + this.#buffer.readUInt32BE(at + 4);
  }

  #startSkip(flags: number, body: number, length: number): number {
    if ((flags & COMMAND) !== 0) return this.#break(`a command of ${length} bytes`);
    if (!this.#isSkipping) this.#handler.oversized(this.#frames);
    this.#skipBytes = length;
    this.#isSkipping = (flags & MORE) !== 0;
    return body;
  }

  #break(reason: string): number {
    this.#isEnded = true;
    this.#handler.broken(reason);
    return this.#end;
  }

  /** Moves what is incomplete to the front, into a longer buffer when it fills this one. */
  #makeRoom(): void {
    const left = this.#end - this.#start;
    if (left === this.#buffer.length) {
      this.#replaceBuffer(this.#buffer.length * 2);
    } else if (left < FIRST_BYTES && this.#buffer.length > MAX_KEPT_BYTES) {
      this.#replaceBuffer(FIRST_BYTES);
    } else if (this.#start > 0) {
      this.#buffer.copyWithin(0, this.#start, this.#end);
    }
    this.#start = 0;
    this.#end = left;
  }

  #replaceBuffer(bytes: number): void {
    const buffer = Buffer.allocUnsafeSlow(bytes);
    this.#buffer.copy(buffer, 0, this.#start, this.#end);
    this.#buffer = buffer;
  }
}
