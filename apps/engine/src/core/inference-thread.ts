import { Worker } from 'node:worker_threads';
import { loadLlama } from '@baton/llama';
import type { InferenceCommand, InferenceEvent, InferenceThreadOptions } from './inference-port.ts';

/** The thread is ended by force when it has not ended by itself: a step may take long. */
const STOP_TIMEOUT_MS = 2_000;

/**
 * The inference thread, seen from the main thread. It starts at once; the first event is `ready`, or `fatal` with the
 * reason. After `fatal` nothing comes any more. An assertion that fails inside libllama ends the process, with its text
 * on stderr: no event can tell that.
 */
export class InferenceThread {
  readonly #worker: Worker;
  readonly #gone: Promise<void>;
  #listener: ((event: InferenceEvent) => void) | undefined;
  #early: InferenceEvent[] = [];
  #isOver = false;

  /** @throws BatonError native_library_missing. */
  constructor(options: InferenceThreadOptions) {
    // ggml registers its backends when it is first loaded, which two threads must not do at once. It is not used here.
    loadLlama();
    // When libllama ends the process it would first look for a debugger.
    process.env['GGML_NO_BACKTRACE'] ??= '1';
    this.#worker = new Worker(new URL('./inference-worker.ts', import.meta.url), {
      workerData: options,
      name: 'inference',
    });
    this.#worker.on('message', (events: InferenceEvent[]) => {
      for (const event of events) this.#deliver(event);
    });
    this.#worker.on('error', (error) => this.#die(error.message));
    this.#gone = new Promise((resolve) => {
      this.#worker.once('exit', (code) => {
        this.#die(`the inference thread ended with code ${code}`);
        resolve();
      });
    });
  }

  send(command: InferenceCommand): void {
    if (!this.#isOver) this.#worker.postMessage(command);
  }

  /** Events in order, from the first one on. One listener. */
  onEvent(listener: (event: InferenceEvent) => void): void {
    this.#listener = listener;
    for (const event of this.#early.splice(0)) listener(event);
  }

  /** Ends every request as aborted and frees everything; resolves when the thread is gone. */
  async stop(): Promise<void> {
    this.send({ type: 'stop' });
    const force = setTimeout(() => void this.#worker.terminate(), STOP_TIMEOUT_MS);
    this.#isOver = true;
    await this.#gone;
    clearTimeout(force);
  }

  #deliver(event: InferenceEvent): void {
    if (event.type === 'fatal') {
      if (this.#isOver) return;
      this.#isOver = true;
    }
    if (this.#listener) this.#listener(event);
    else this.#early.push(event);
  }

  #die(message: string): void {
    this.#deliver({ type: 'fatal', message });
  }
}
