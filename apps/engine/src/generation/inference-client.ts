import { BatonError } from '@baton/kv';
import type {
  GenerationRequest,
  InferenceCommand,
  InferenceEvent,
  InferenceFacts,
  InferenceLoad,
} from '../core/inference-port.ts';

/** The inference thread as seen from here; a worker thread in production. */
export interface InferenceThread {
  send(command: InferenceCommand): void;
  /** Called once, before anything is sent. Events in order. */
  onEvent(listener: (event: InferenceEvent) => void): void;
  /** Ends the thread; resolves when it is gone. */
  stop(): Promise<void>;
}

/** Events of one request; `ended` is always the last one. */
export type RequestEvent = Extract<InferenceEvent, { requestId: string }>;
/** Everything that belongs to no request. */
export type SharedEvent = Exclude<InferenceEvent, { requestId: string }>;

const IDLE: InferenceLoad = {
  running: 0,
  waiting: 0,
  pendingPrefillTokens: 0,
  usedBlocks: 0,
  prefillTokensPerSec: 0,
  decodeTokensPerSec: 0,
  dramBytesPerSec: 0,
};

/** Sends commands to the inference thread and brings its events to the requests that they belong to. */
export class InferenceClient {
  readonly #thread: InferenceThread;
  readonly #requests = new Map<string, (event: RequestEvent) => void>();
  readonly #listeners: ((event: SharedEvent) => void)[] = [];
  readonly #ready: Promise<InferenceFacts>;
  #load = IDLE;
  #death: string | undefined;

  constructor(thread: InferenceThread) {
    this.#thread = thread;
    this.#ready = new Promise((resolve, reject) => {
      this.#listeners.push((event) => {
        if (event.type === 'ready') resolve(event.facts);
        if (event.type === 'fatal') reject(new BatonError('engine_failed', event.message));
      });
    });
    // Whoever waits for `ready` gets the rejection; nobody has to.
    this.#ready.catch(() => undefined);
    thread.onEvent((event) => this.#receive(event));
  }

  /** Resolves when the model is loaded. @throws BatonError with the reason when it cannot be. */
  get ready(): Promise<InferenceFacts> {
    return this.#ready;
  }

  /** Why the thread died, or undefined while it lives. */
  get death(): string | undefined {
    return this.#death;
  }

  /** As last reported. */
  get load(): InferenceLoad {
    return this.#load;
  }

  onShared(listener: (event: SharedEvent) => void): void {
    this.#listeners.push(listener);
  }

  /** `onEvent` gets the request's events up to `ended`. @throws BatonError when the thread is dead. */
  submit(request: GenerationRequest, onEvent: (event: RequestEvent) => void): void {
    if (this.#death !== undefined) throw new BatonError('engine_failed', this.#death);
    this.#requests.set(request.requestId, onEvent);
    this.#thread.send({ type: 'submit', request });
  }

  send(command: Exclude<InferenceCommand, { type: 'submit' }>): void {
    if (this.#death === undefined) this.#thread.send(command);
  }

  stop(): Promise<void> {
    return this.#thread.stop();
  }

  #receive(event: InferenceEvent): void {
    if ('requestId' in event) {
      const onEvent = this.#requests.get(event.requestId);
      if (event.type === 'ended') this.#requests.delete(event.requestId);
      onEvent?.(event);
      return;
    }
    if (event.type === 'load') this.#load = event.load;
    if (event.type === 'fatal') this.#die(event.message);
    for (const listener of this.#listeners) listener(event);
  }

  #die(message: string): void {
    if (this.#death !== undefined) return;
    this.#death = message;
    this.#load = IDLE;
    const open = [...this.#requests];
    this.#requests.clear();
    for (const [requestId, onEvent] of open) {
      onEvent({
        type: 'ended',
        requestId,
        outcome: 'failed',
        code: 'engine_failed',
        message,
        accounting: { promptTokens: 0, heldTokens: 0, importedTokens: 0, computedTokens: 0 },
      });
    }
  }
}
