import { Worker } from 'node:worker_threads';
import { BatonError, isErrorCode } from '@baton/kv';
import { fieldError } from '@baton/openai';
import { PieceTable } from './packed-pieces.ts';
import type {
  ChatRender,
  TokenizerFacts,
  TokenizerJob,
  TokenizerReply,
  TokenizerRequest,
} from './tokenizer-port.ts';
import type { TokenizerThreadData } from './tokenizer-thread.ts';

/** Jobs that may wait at once; more are refused with queue_full. */
export const MAX_TOKENIZER_JOBS = 1_024;

interface Waiting {
  resolve(result: Int32Array | string): void;
  reject(error: Error): void;
}

/** The tokenizer thread as promises. Prompts are tokenized beside inference, so neither waits for the other. */
export class Tokenizer {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #nextId = 1;
  #death: BatonError | undefined;

  private constructor(worker: Worker) {
    this.#worker = worker;
  }

  /** @throws BatonError when the model file is missing, damaged or no GGUF. */
  static async open(modelFile: string): Promise<{ tokenizer: Tokenizer; facts: TokenizerFacts }> {
    const data: TokenizerThreadData = { modelFile };
    const file = new URL('./tokenizer-thread.ts', import.meta.url);
    const worker = new Worker(file, { workerData: data, name: 'tokenizer' });
    const tokenizer = new Tokenizer(worker);
    try {
      return { tokenizer, facts: await tokenizer.#start() };
    } catch (error) {
      await worker.terminate();
      throw error;
    }
  }

  tokenize(text: string, addSpecial: boolean): Promise<Int32Array> {
    return this.#ask({ type: 'text', text, addSpecial }) as Promise<Int32Array>;
  }

  /** Renders the chat template and tokenizes what comes out. */
  tokenizeChat(render: ChatRender, addSpecial: boolean): Promise<Int32Array> {
    return this.#ask({ type: 'chat', render, addSpecial }) as Promise<Int32Array>;
  }

  detokenize(tokens: Int32Array): Promise<string> {
    return this.#ask({ type: 'detokenize', tokens }) as Promise<string>;
  }

  get death(): string | undefined {
    return this.#death?.message;
  }

  async close(): Promise<void> {
    this.#die(new BatonError('shutting_down'));
    await this.#worker.terminate();
  }

  #start(): Promise<TokenizerFacts> {
    const { promise, resolve, reject } = Promise.withResolvers<TokenizerFacts>();
    const die = (message: string): void => {
      const error = new BatonError('engine_failed', message);
      this.#die(error);
      reject(error);
    };
    this.#worker.on('message', (reply: TokenizerReply) => {
      if (reply.type === 'ready') resolve(reply.facts);
      else if (reply.type === 'unusable') reject(faultOf(reply.code, reply.message));
      else this.#settle(reply);
    });
    this.#worker.on('error', (error) => die(`The tokenizer thread failed: ${String(error)}`));
    this.#worker.on('exit', () => die('The tokenizer thread ended.'));
    return promise;
  }

  #ask(job: TokenizerJob): Promise<Int32Array | string> {
    if (this.#death) return Promise.reject(this.#death);
    if (this.#waiting.size >= MAX_TOKENIZER_JOBS) {
      return Promise.reject(new BatonError('queue_full', 'Too many prompts wait for tokenizing.'));
    }
    const id = this.#nextId;
    this.#nextId += 1;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      const request: TokenizerRequest = { id, job };
      this.#worker.postMessage(request);
    });
  }

  #settle(reply: Exclude<TokenizerReply, { type: 'ready' | 'unusable' }>): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if (reply.type === 'tokens') waiting?.resolve(reply.tokens);
    else if (reply.type === 'text') waiting?.resolve(reply.text);
    else waiting?.reject(faultOf(reply.code, reply.message, reply.field));
  }

  #die(error: BatonError): void {
    if (this.#death) return;
    this.#death = error;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

/** Pieces for the text of output tokens. */
export function pieceTable(facts: TokenizerFacts): PieceTable {
  return new PieceTable(facts.pieces);
}

function faultOf(code: string, message: string, field?: string): BatonError {
  const known = isErrorCode(code) ? code : 'internal_error';
  return field === undefined ? new BatonError(known, message) : fieldError(known, field, message);
}
