import type { Socket } from 'node:net';
import { KEY_BYTES, keyAt, keyCount } from '@baton/kv';
import { baton } from '@baton/proto';
import type {
  PageMemory,
  PullQuery,
  SegmentSource,
  SourcePage,
  SourceRefusal,
  SourceStream,
  TransferCounters,
  TransferLog,
} from '../transfer-engine.ts';
import { FrameReceiver } from './frame-receiver.ts';
import type { StreamFault } from './frame-receiver.ts';
import { encodeFrame, encodeHeader, FrameType } from './frame.ts';
import type { FrameHeader } from './frame.ts';
import {
  MAX_ID_LENGTH,
  MAX_PULL_SEGMENTS,
  MAX_PULL_TIMEOUT_MS,
  MAX_REQUEST_BYTES,
} from './limits.ts';
import type { TcpLimits } from './limits.ts';

export interface ServeContext {
  source: SegmentSource;
  memory: PageMemory;
  layout: string;
  limits: TcpLimits;
  counters: TransferCounters;
  log?: TransferLog | undefined;
}

/** Segments handed to the socket and not yet written: enough to keep it busy while the next one is looked up. */
const WRITE_WINDOW = 2;

/**
 * The sending end of one connection: answers one request after the other. Payloads go to the socket straight from
 * their page, which stays the connection's until the write is complete or the socket is gone.
 */
export class ServeConnection {
  readonly #socket: Socket;
  readonly #context: ServeContext;
  readonly #receiver: FrameReceiver;
  readonly #pages = new Set<SourcePage>();
  readonly #ticker: NodeJS.Timeout;
  #stream: SourceStream | undefined;
  #isBusy = false;
  #isClosed = false;
  #spokeAtMs = performance.now();
  #room: (() => void) | undefined;

  constructor(socket: Socket, context: ServeContext) {
    this.#socket = socket;
    this.#context = context;
    this.#receiver = new FrameReceiver({
      place: (header) => this.#place(header),
      frame: (_, payload) => this.#request(payload),
    });
    const { keepAliveMs, idleMs } = context.limits;
    this.#ticker = setInterval(() => this.#tick(), Math.max(keepAliveMs / 2, 5));
    socket.setTimeout(idleMs, () => {
      if (!this.#isBusy) socket.destroy();
    });
    socket.on('data', (chunk: Buffer) => {
      const fault = this.#receiver.push(chunk);
      if (fault) this.#refuseAndEnd(fault);
    });
    socket.on('error', () => undefined);
    socket.once('close', () => this.#closed());
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #closed(): void {
    this.#isClosed = true;
    clearInterval(this.#ticker);
    this.#stream?.close();
    for (const page of this.#pages) this.#release(page);
    this.#room?.();
  }

  #place(header: FrameHeader): Uint8Array | StreamFault {
    if (header.type !== FrameType.REQUEST || header.bytes > MAX_REQUEST_BYTES || this.#isBusy) {
      const message = `frame of type ${header.type} with ${header.bytes} bytes is not expected`;
      return { code: 'protocol_violation', message };
    }
    return new Uint8Array(header.bytes);
  }

  #request(payload: Uint8Array): StreamFault | undefined {
    const query = readQuery(payload, this.#context.layout);
    if ('code' in query) {
      this.#context.log?.warn({ event: 'pull_refused', ...query }, 'pull refused');
      this.#end(query, 0);
      return undefined;
    }
    this.#isBusy = true;
    void this.#answer(query).catch((error: unknown) => {
      // A fault of the source must not keep the pages of others: the socket goes, its pages with it.
      this.#context.log?.warn({ event: 'serve_failed', err: error }, 'source failed');
      this.#socket.destroy();
    });
    return undefined;
  }

  async #answer(query: PullQuery): Promise<void> {
    const stream = this.#context.source.open(query);
    if ('code' in stream) return this.#end(stream, 0);
    this.#stream = stream;
    try {
      const count = keyCount(query.keys);
      for (let index = 0; index < count; index += 1) {
        const segment = await stream.segment(index);
        if ('code' in segment) return this.#end(segment, index);
        const key = keyAt(query.keys, index);
        if (!(await this.#sendPage(segment, { type: FrameType.SEGMENT, index, key }))) return;
        this.#context.counters.segmentsOut += 1;
      }
      if (query.withTail && !(await this.#sendTail(stream, count))) return;
      this.#end(undefined, count);
    } finally {
      this.#stream = undefined;
      stream.close();
    }
  }

  /** False when the answer is over. */
  async #sendTail(stream: SourceStream, index: number): Promise<boolean> {
    const tail = await stream.tail();
    if ('code' in tail) {
      this.#end(tail, index);
      return false;
    }
    if (!this.#isClosed) this.#write(encodeFrame(FrameType.STATE, tail.state));
    return this.#sendPage(tail, { type: FrameType.TAIL, index });
  }

  /** Resolves when there is room for the next page; false when the socket is gone. */
  async #sendPage(
    page: SourcePage,
    header: { type: FrameType; index: number; key?: Uint8Array },
  ): Promise<boolean> {
    this.#pages.add(page);
    if (this.#isClosed) {
      this.#release(page);
      return false;
    }
    const { bytes, checksum } = page;
    const { memory, counters } = this.#context;
    const start = page.page * memory.pageBytes;
    const payload = memory.bytes.subarray(start, start + bytes);
    this.#write([encodeHeader({ ...header, bytes, checksum }), payload], (error) => {
      // A failed write may still be reading the page; it is given back when the socket is gone.
      if (error) return;
      counters.bytesOut += bytes;
      this.#release(page);
    });
    while (this.#pages.size >= WRITE_WINDOW && !this.#isClosed) {
      await new Promise<void>((resolve) => (this.#room = resolve));
    }
    return !this.#isClosed;
  }

  #release(page: SourcePage): void {
    if (!this.#pages.delete(page)) return;
    page.release();
    this.#room?.();
  }

  #write(parts: readonly Uint8Array[], done?: (error: Error | null | undefined) => void): void {
    this.#spokeAtMs = performance.now();
    this.#socket.cork();
    parts.forEach((part, i) => {
      const isLast = i === parts.length - 1;
      if (isLast && done) this.#socket.write(part, done);
      else this.#socket.write(part);
    });
    this.#socket.uncork();
  }

  /** The last frame of an answer. */
  #end(refusal: SourceRefusal | undefined, index: number): void {
    this.#isBusy = false;
    if (this.#isClosed) return;
    if (!refusal) return this.#write([encodeHeader({ type: FrameType.END, index })]);
    const payload = baton.v1.LinkRefused.encode(refusal).finish();
    this.#write(encodeFrame(FrameType.REFUSED, payload, index));
  }

  #refuseAndEnd(fault: StreamFault): void {
    this.#context.log?.warn({ event: 'pull_refused', ...fault }, 'connection refused');
    if (this.#isBusy) return void this.#socket.destroy();
    this.#end(fault, 0);
    this.#socket.end();
    return undefined;
  }

  #tick(): void {
    const silentMs = performance.now() - this.#spokeAtMs;
    const { keepAliveMs, sendStallMs } = this.#context.limits;
    if (this.#socket.writableLength > 0) {
      if (silentMs < sendStallMs) return;
      this.#context.counters.stalls += 1;
      this.#socket.destroy();
    } else if (this.#isBusy && silentMs >= keepAliveMs) {
      this.#write([encodeHeader({ type: FrameType.KEEP_ALIVE })]);
    }
  }
}

/** What is asked for, or the reason why it cannot be answered. */
function readQuery(payload: Uint8Array, layout: string): PullQuery | SourceRefusal {
  let request: baton.v1.PullRequest;
  try {
    request = baton.v1.PullRequest.decode(payload);
  } catch {
    return { code: 'protocol_violation', message: 'a request that cannot be read' };
  }
  const wrong = wrongField(request);
  if (wrong) return { code: 'protocol_violation', message: `PullRequest.${wrong}` };
  if (request.layout !== layout) {
    const message = `KV layout ${request.layout || '(none)'} asked for, ${layout} held`;
    return { code: 'layout_mismatch', message };
  }
  const { transferId, planId, withTail, wait, timeoutMs } = request;
  return { transferId, planId, keys: Uint8Array.from(request.keys), withTail, wait, timeoutMs };
}

function wrongField(request: baton.v1.PullRequest): string | undefined {
  const { transferId, planId, keys, timeoutMs, withTail } = request;
  if (transferId === '' || transferId.length > MAX_ID_LENGTH)
    return 'transfer_id: 1 to 256 characters';
  if (planId.length > MAX_ID_LENGTH) return 'plan_id: at most 256 characters';
  if (keys.length % KEY_BYTES !== 0) return `keys: ${keys.length} bytes are no whole keys`;
  if (keys.length > MAX_PULL_SEGMENTS * KEY_BYTES) return `keys: more than ${MAX_PULL_SEGMENTS}`;
  if (keys.length === 0 && !withTail) return 'keys: none, and no tail';
  if (timeoutMs < 1 || timeoutMs > MAX_PULL_TIMEOUT_MS) {
    return `timeout_ms: 1 to ${MAX_PULL_TIMEOUT_MS}, not ${timeoutMs}`;
  }
  return undefined;
}
