import type { ReadStream, WriteStream } from 'node:tty';

const enterAlternateScreen = '\x1b[?1049h\x1b[?25l';
const leaveAlternateScreen = '\x1b[?25h\x1b[?1049l';
const home = '\x1b[H';
const clearToLineEnd = '\x1b[K';
const clearBelow = '\x1b[J';
const ctrlC = '\x03';

/**
 * A full-screen view on a terminal that gives the screen back as it was.
 *
 * A frame is written over the last one in a single write, line by line, never cleared first: nothing flickers.
 */
export class LiveTerminal {
  readonly #out: WriteStream;
  readonly #in: ReadStream;
  readonly #onQuit: () => void;
  readonly #onResize: () => void;
  #open = false;

  constructor(
    out: WriteStream,
    input: ReadStream,
    handlers: { quit: () => void; resize: () => void },
  ) {
    this.#out = out;
    this.#in = input;
    this.#onQuit = handlers.quit;
    this.#onResize = handlers.resize;
  }

  get size(): { columns: number; rows: number } {
    return { columns: this.#out.columns || 80, rows: this.#out.rows || 24 };
  }

  open(): void {
    this.#open = true;
    this.#out.write(enterAlternateScreen);
    this.#out.on('resize', this.#onResize);
    if (this.#in.isTTY) {
      this.#in.setRawMode(true);
      this.#in.on('data', this.#onKey);
      this.#in.resume();
    }
    process.on('exit', this.#restore);
  }

  draw(lines: readonly string[]): void {
    if (!this.#open) return;
    const text = lines.map((line) => `${line}\x1b[0m${clearToLineEnd}`).join('\r\n');
    this.#out.write(`${home}${text}${clearBelow}`);
  }

  close(): void {
    this.#restore();
    process.off('exit', this.#restore);
    this.#out.off('resize', this.#onResize);
    this.#in.off('data', this.#onKey);
    this.#in.pause();
  }

  readonly #restore = (): void => {
    if (!this.#open) return;
    this.#open = false;
    if (this.#in.isTTY) this.#in.setRawMode(false);
    this.#out.write(leaveAlternateScreen);
  };

  readonly #onKey = (data: Buffer): void => {
    const keys = data.toString('latin1');
    if (/q/i.test(keys) || keys.includes(ctrlC)) this.#onQuit();
  };
}
