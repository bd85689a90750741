import net from 'node:net';

const HEAD_END = Buffer.from('\r\n\r\n');

/**
 * POST after POST over one connection, as cheap as a client can be: requests are bytes that were made before, and
 * answers need a content-length. For measuring, where a client of more comfort would be most of what is seen.
 */
export class LeanHttp {
  readonly #socket: net.Socket;
  #received: Buffer = Buffer.alloc(0);
  #waiting: { resolve: (body: Buffer) => void; reject: (error: Error) => void } | undefined;

  #closed: Error | undefined;

  private constructor(socket: net.Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk) => this.#take(chunk));
    const close = (error: Error): void => {
      this.#closed ??= error;
      this.#waiting?.reject(this.#closed);
    };
    socket.on('error', close);
    socket.on('close', () => close(new Error('the server closed the connection')));
  }

  /** An abort of the signal rejects what is asked. */
  static open(url: URL, signal: AbortSignal): Promise<LeanHttp> {
    return new Promise((resolve, reject) => {
      const socket = net.connect({ port: Number(url.port), host: url.hostname, signal });
      socket.once('error', reject);
      socket.once('connect', () => resolve(new LeanHttp(socket)));
    });
  }

  static request(url: URL, path: string, body: object): Buffer {
    const bytes = Buffer.from(JSON.stringify(body));
    const head = [
      `POST ${path} HTTP/1.1`,
      `host: ${url.host}`,
      'content-type: application/json',
      `content-length: ${bytes.length}`,
    ];
    return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), bytes]);
  }

  /** The body of the answer. Rejects when it is not 200. */
  ask(request: Buffer): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      if (this.#closed !== undefined) return reject(this.#closed);
      this.#waiting = { resolve, reject };
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#waiting = undefined;
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const headEnd = this.#received.indexOf(HEAD_END);
    if (headEnd < 0) return;
    const head = this.#received.subarray(0, headEnd).toString('latin1');
    const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1]);
    const bodyStart = headEnd + HEAD_END.length;
    if (Number.isNaN(length)) return this.#fail(`an answer without content-length:\n${head}`);
    if (this.#received.length < bodyStart + length) return;
    const body = this.#received.subarray(bodyStart, bodyStart + length);
    this.#received = Buffer.alloc(0);
    if (!/^HTTP\/1\.1 20[01]/.test(head)) return this.#fail(`${head}\n\n${body.toString()}`);
    this.#waiting?.resolve(body);
  }

  #fail(why: string): void {
    this.#waiting?.reject(new Error(why));
  }
}
