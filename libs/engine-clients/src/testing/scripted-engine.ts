import { setTimeout as sleep } from 'node:timers/promises';
import { encodeEventSeq, readEventSeq, REPLAY_END_SEQ } from '@baton/engine-protocols';
import { Publisher, Router } from 'zeromq';

export interface ScriptedEngineOptions {
  /** Endpoint to bind, or to connect to with `connects`. */
  events?: string;
  replay?: string;
  connects?: boolean;
  topic?: string;
}

/**
 * An engine's publisher on real ZMQ sockets that does what a test tells it: loses, repeats, answers replays in either
 * layout, late or not at all, and begins a new life.
 */
export class ScriptedEngine {
  /** What a replay gives, oldest first. */
  buffer: { seq: number; payload: Uint8Array }[] = [];
  /** Frames of a replay's answer: vLLM up to 0.25 and SGLang leave the topic out. */
  replayFrames: 3 | 4 = 4;
  /** Questions are taken and not answered. */
  isDeaf = false;
  /** Numbers that were asked for. */
  questions: number[] = [];
  /** Number of the next batch. */
  next = 0;
  readonly #publisher = new Publisher({ linger: 0, sendHighWaterMark: 100_000 });
  readonly #router = new Router({ linger: 0, sendHighWaterMark: 100_000 });
  readonly #topic: string;
  #answering: Promise<void> = Promise.resolve();

  private constructor(topic: string) {
    this.#topic = topic;
  }

  static async start(options: ScriptedEngineOptions = {}): Promise<ScriptedEngine> {
    const engine = new ScriptedEngine(options.topic ?? '');
    const events = options.events ?? 'tcp://127.0.0.1:*';
    if (options.connects) engine.#publisher.connect(events);
    else await engine.#bind(engine.#publisher, events);
    await engine.#bind(engine.#router, options.replay ?? 'tcp://127.0.0.1:*');
    engine.#answering = engine.#answer();
    return engine;
  }

  get eventsEndpoint(): string {
    return this.#publisher.lastEndpoint ?? '';
  }

  get replayEndpoint(): string {
    return this.#router.lastEndpoint ?? '';
  }

  async publish(payload: Uint8Array, how: { lose?: boolean } = {}): Promise<number> {
    const seq = this.next;
    this.next += 1;
    this.buffer.push({ seq, payload });
    if (!how.lose) await this.send([this.#topic, encodeEventSeq(seq), payload]);
    return seq;
  }

  /** Any frames at all. */
  async send(frames: (string | Uint8Array)[]): Promise<void> {
    await this.#publisher.send(frames);
  }

  /** The same sockets, another life: for a restart that no connection shows. */
  beginAgain(): void {
    this.buffer = [];
    this.next = 0;
  }

  /** As when the process is killed. */
  async kill(): Promise<void> {
    this.#publisher.close();
    this.#router.close();
    await this.#answering;
  }

  /** Another life at the same endpoints. */
  async restart(): Promise<ScriptedEngine> {
    const { eventsEndpoint: events, replayEndpoint: replay } = this;
    await this.kill();
    const next = await ScriptedEngine.start({ events, replay, topic: this.#topic });
    next.replayFrames = this.replayFrames;
    return next;
  }

  /** The port of a socket that was just closed may still be taken for a moment. */
  async #bind(socket: Publisher | Router, endpoint: string): Promise<void> {
    for (let tries = 0; ; tries += 1) {
      try {
        return await socket.bind(endpoint);
      } catch (error) {
        if (tries === 100) throw error;
        await sleep(20);
      }
    }
  }

  async #answer(): Promise<void> {
    try {
      for await (const [peer, , from] of this.#router) {
        if (!peer || !from) continue;
        const start = readEventSeq(from) ?? 0;
        this.questions.push(start);
        if (this.isDeaf) continue;
        const topic = this.replayFrames === 4 ? [this.#topic] : [];
        for (const { seq, payload } of this.buffer.filter((entry) => entry.seq >= start)) {
          await this.#router.send([peer, '', ...topic, encodeEventSeq(seq), payload]);
        }
        const endTopic = this.replayFrames === 4 ? [''] : [];
        await this.#router.send([peer, '', ...endTopic, REPLAY_END_SEQ, '']);
      }
    } catch (error) {
      if (!this.#router.closed) throw error;
    }
  }
}
