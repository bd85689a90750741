import { Dealer } from 'zeromq';

const SEQ_BYTES = 8;
const END_SEQ = 0xffff_ffff_ffff_ffffn;

/** Asks an engine for KV events that it has published before. One question at a time. */
export class ReplayClient {
  readonly #endpoint: string;
  readonly #timeoutMs: number;
  #dealer: Dealer | undefined;

  constructor(endpoint: string, timeoutMs: number) {
    this.#endpoint = endpoint;
    this.#timeoutMs = timeoutMs;
  }

  /** True when the engine has told all that it still has from `from` on, false when it did not answer in time. */
  async ask(
    from: number,
    onBatch: (seq: number | undefined, payload: Uint8Array) => void,
  ): Promise<boolean> {
    const dealer = this.#connected();
    const question = Buffer.alloc(SEQ_BYTES);
    question.writeBigUInt64BE(BigInt(from));
    if ((await succeeded(dealer.send(['', question]))) === undefined) return this.#giveUp();
    for (;;) {
      const frames = (await succeeded(dealer.receive()))?.value;
      if (!frames) return this.#giveUp();
      // `["", seq, payload]` up to vLLM 0.25, `["", topic, seq, payload]` since.
      const [seqFrame, payload] = frames.slice(-2);
      if (seqFrame?.length === SEQ_BYTES && seqFrame.readBigUInt64BE() === END_SEQ) return true;
      onBatch(readSeq(seqFrame), payload ?? new Uint8Array());
    }
  }

  /** A late answer must not be taken for the answer to the next question. */
  #giveUp(): false {
    this.close();
    return false;
  }

  close(): void {
    this.#dealer?.close();
    this.#dealer = undefined;
  }

  #connected(): Dealer {
    if (this.#dealer) return this.#dealer;
    const dealer = new Dealer({
      linger: 0,
      receiveTimeout: this.#timeoutMs,
      sendTimeout: this.#timeoutMs,
      receiveHighWaterMark: 0,
    });
    dealer.connect(this.#endpoint);
    this.#dealer = dealer;
    return dealer;
  }
}

async function succeeded<T>(promise: Promise<T>): Promise<{ value: T } | undefined> {
  try {
    return { value: await promise };
  } catch {
    return undefined;
  }
}

/** Undefined for a frame that is no sequence number. */
export function readSeq(frame: Buffer | undefined): number | undefined {
  if (frame?.length !== SEQ_BYTES) return undefined;
  const seq = Number(frame.readBigUInt64BE());
  return Number.isSafeInteger(seq) ? seq : undefined;
}
