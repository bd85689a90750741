import { setTimeout as sleep } from 'node:timers/promises';
import { Publisher } from 'zeromq';
import { BLOCK_TOKENS, indexerLoad, SEQUENCE_BLOCKS, type IndexerLoad } from './indexer-load.ts';
import { LeanHttp } from './lean-http.ts';
import { cpuMsOf, residentBytesOf } from './process-cost.ts';

const MODEL = 'm';
/** Publishers do not wait for subscribers, and say nothing of them. */
const SUBSCRIBE_MS = 3_000;
const DRAIN_LIMIT_MS = 240_000;
const POLL_MS = 20;
const WARM_UP_QUERIES = 1_000;
/** Prompts whose answers are compared with another indexer's. */
const COMPARED = 40;

/** A server with the routes of an indexer that answers as Dynamo's does. */
export interface IndexerTarget {
  name: string;
  /** Base URL. */
  url: string;
  pid: number;
  /** Gives unused memory back, where that can be asked for. */
  collect?(): Promise<void>;
}

/** What following a million blocks cost. */
export interface IngestCost {
  blocksPerSec: number;
  cpuUsPerBlock: number;
  /** Memory of the process, after a collection where one can be asked for. */
  bytesPerBlock: number;
}

/**
 * One indexer under load: registers publishers with it, lets them publish everything as fast as it goes, waits until the
 * last block of each is found, and asks for prompts over one connection.
 */
export class IndexerDrive {
  /** Of all queries so far, ms; and CPU of the server for them. */
  readonly queryMs: number[] = [];
  queryCpuMs = 0;
  readonly #target: IndexerTarget;
  readonly #url: URL;
  readonly #client: LeanHttp;
  readonly #signal: AbortSignal;
  readonly #publishers: Publisher[] = [];

  private constructor(target: IndexerTarget, client: LeanHttp, signal: AbortSignal) {
    this.#target = target;
    this.#url = new URL(target.url);
    this.#client = client;
    this.#signal = signal;
  }

  static async open(target: IndexerTarget, signal: AbortSignal): Promise<IndexerDrive> {
    return new IndexerDrive(target, await LeanHttp.open(new URL(target.url), signal), signal);
  }

  close(): void {
    this.#client.close();
    for (const publisher of this.#publishers) publisher.close();
  }

  /** A smaller load of another model, so that what a process does in its first second is not measured. */
  async warmUp(): Promise<void> {
    const load = indexerLoad({ workers: 8, sequencesPerWorker: 16, kept: 8, seed: 2 });
    await this.#publish(load, { model: 'warm-up', firstInstance: 10_001 });
    await this.#ask(load, 'warm-up', WARM_UP_QUERIES);
  }

  /** @throws Error when a block is missing at the end */
  async ingest(load: IndexerLoad): Promise<IngestCost> {
    const { pid, collect } = this.#target;
    await collect?.();
    const before = residentBytesOf(pid);
    const cost = await this.#publish(load, { model: MODEL, firstInstance: 1 });
    await collect?.();
    const bytesPerBlock = (residentBytesOf(pid) - before) / load.blocks;
    await this.#checkOwners(load);
    return { ...cost, bytesPerBlock };
  }

  /** Kept prompts of the load, one after the other. */
  async ask(load: IndexerLoad, queries: number): Promise<void> {
    const cpuBefore = cpuMsOf(this.#target.pid);
    this.queryMs.push(...(await this.#ask(load, MODEL, queries)));
    this.queryCpuMs += cpuMsOf(this.#target.pid) - cpuBefore;
  }

  /** Answers to whole prompts, to prompts that go on with something new, and to such that nobody has. */
  async answersTo(load: IndexerLoad): Promise<unknown[]> {
    const answers: unknown[] = [];
    for (const { tokens } of load.kept.slice(0, COMPARED)) {
      const half = tokens.slice();
      half.fill(1, tokens.length / 2);
      for (const prompt of [tokens, half, tokens.toReversed()]) {
        answers.push(await this.#post('/query', queryOf(prompt, MODEL)));
      }
    }
    return answers;
  }

  /** Everything of a load, until the last block of every worker is found. */
  async #publish(
    load: IndexerLoad,
    { model, firstInstance }: { model: string; firstInstance: number },
  ): Promise<Omit<IngestCost, 'bytesPerBlock'>> {
    const publishers: Publisher[] = [];
    for (let worker = 0; worker < load.workers; worker += 1) {
      const publisher = new Publisher({ sendHighWaterMark: 0, linger: 0 });
      this.#publishers.push(publisher);
      publishers.push(publisher);
      await publisher.bind('tcp://127.0.0.1:*');
      await this.#post('/register', {
        ...{ instance_id: firstInstance + worker, endpoint: publisher.lastEndpoint },
        ...{ model_name: model, block_size: BLOCK_TOKENS },
      });
    }
    await sleep(SUBSCRIBE_MS, undefined, { signal: this.#signal });
    const cpuBefore = cpuMsOf(this.#target.pid);
    const startMs = performance.now();
    await this.#send(load, publishers);
    for (let worker = 0; worker < load.workers; worker += 1) {
      const query = { model_name: model, token_ids: load.marker(worker) };
      const instance = String(firstInstance + worker);
      while (!(await this.#instancesOf(query)).includes(instance)) {
        if (performance.now() - startMs > DRAIN_LIMIT_MS) {
          throw new Error(`${this.#target.name} has not found the last block of ${instance}`);
        }
        await sleep(POLL_MS, undefined, { signal: this.#signal });
      }
    }
    const seconds = (performance.now() - startMs) / 1000;
    const cpuUs = (cpuMsOf(this.#target.pid) - cpuBefore) * 1000;
    return { blocksPerSec: load.blocks / seconds, cpuUsPerBlock: cpuUs / load.blocks };
  }

  /** Every kept prompt belongs to one worker, which has all of it. */
  async #checkOwners(load: IndexerLoad): Promise<void> {
    for (const { worker, tokens } of load.kept) {
      const answer = await this.#post('/query', queryOf(tokens, MODEL));
      const { instances } = answer as { instances: Record<string, { longest_matched: number }> };
      const found = instances[String(worker + 1)]?.longest_matched;
      if (found !== SEQUENCE_BLOCKS * BLOCK_TOKENS || Object.keys(instances).length !== 1) {
        const said = JSON.stringify(answer);
        throw new Error(`worker ${worker + 1} should have a whole prompt: ${said}`);
      }
    }
  }

  async #ask(load: IndexerLoad, model: string, queries: number): Promise<number[]> {
    const requests = load.kept.map(({ tokens }) =>
      LeanHttp.request(this.#url, '/query', queryOf(tokens, model)),
    );
    const times: number[] = [];
    for (let i = 0; i < queries; i += 1) {
      const startMs = performance.now();
      await this.#client.ask(requests[i % requests.length] as Buffer);
      times.push(performance.now() - startMs);
    }
    this.#signal.throwIfAborted();
    return times;
  }

  async #send(load: IndexerLoad, publishers: readonly Publisher[]): Promise<void> {
    const longest = Math.max(...load.messages.map((messages) => messages.length));
    for (let i = 0; i < longest; i += 1) {
      for (const [worker, messages] of load.messages.entries()) {
        const frames = messages[i];
        if (frames !== undefined) await publishers[worker]?.send(frames);
      }
      this.#signal.throwIfAborted();
    }
  }

  async #instancesOf(query: object): Promise<string[]> {
    const answer = await this.#post('/query', query);
    return Object.keys((answer as { instances?: object }).instances ?? {});
  }

  async #post(path: string, body: object): Promise<unknown> {
    const answer = await this.#client.ask(LeanHttp.request(this.#url, path, body));
    return JSON.parse(answer.toString()) as unknown;
  }
}

function queryOf(tokens: Uint32Array, model: string): object {
  return { model_name: model, token_ids: Array.from(tokens) };
}
