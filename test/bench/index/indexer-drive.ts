import { setTimeout as sleep } from 'node:timers/promises';
import { Publisher } from 'zeromq';
import { quantile } from '../statistics.ts';
import { BLOCK_TOKENS, indexerLoad, SEQUENCE_BLOCKS, type IndexerLoad } from './indexer-load.ts';
import { LeanHttp } from './lean-http.ts';
import { cpuMsOf, residentBytesOf } from './process-cost.ts';

const MODEL = 'm';
/** Publishers do not wait for subscribers, and say nothing of them. */
const SUBSCRIBE_MS = 3_000;
const DRAIN_LIMIT_MS = 240_000;
const POLL_MS = 20;
const QUERIES = 4_500;
const WARM_UP_QUERIES = 1_000;
const CHECK_EVERY = 1_000;
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

export interface IndexerMeasurement {
  blocksPerSec: number;
  cpuUsPerBlock: number;
  bytesPerBlock: number;
  queryP50Ms: number;
  queryP99Ms: number;
  queryCpuUs: number;
  /** What it said to some queries: hits, half hits and misses. */
  answers: unknown[];
}

/**
 * Registers publishers of a load with an indexer, lets them publish everything as fast as it goes, waits until the last
 * block of each is found, and asks for prompts. Before that a smaller load of another model has warmed the process up.
 *
 * @throws Error when something is missing at the end
 */
export async function driveIndexer(
  target: IndexerTarget,
  load: IndexerLoad,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<IndexerMeasurement> {
  const drive = new Drive(target, await LeanHttp.open(new URL(target.url)), signal);
  try {
    const warmUp = indexerLoad({ workers: 8, sequencesPerWorker: 16, kept: 8, seed: 2 });
    await drive.publish(warmUp, { model: 'warm-up', firstInstance: 10_001 });
    await drive.askFor(warmUp, 'warm-up', WARM_UP_QUERIES);
    const before = residentBytesOf(target.pid);
    const ingested = await drive.publish(load, { model: MODEL, firstInstance: 1 });
    await target.collect?.();
    const bytesPerBlock = (residentBytesOf(target.pid) - before) / load.blocks;
    await drive.checkOwners(load);
    const measured = { ...ingested, bytesPerBlock, ...(await drive.askFor(load, MODEL, QUERIES)) };
    say(`${target.name}: ${summary(measured)}`);
    return { ...measured, answers: await drive.answersTo(load) };
  } finally {
    drive.close();
  }
}

type Ingested = Pick<IndexerMeasurement, 'blocksPerSec' | 'cpuUsPerBlock'>;
type Asked = Pick<IndexerMeasurement, 'queryP50Ms' | 'queryP99Ms' | 'queryCpuUs'>;

/** One indexer under load, with its publishers and one connection for queries. */
class Drive {
  readonly #target: IndexerTarget;
  readonly #url: URL;
  readonly #client: LeanHttp;
  readonly #signal: AbortSignal;
  readonly #publishers: Publisher[] = [];

  constructor(target: IndexerTarget, client: LeanHttp, signal: AbortSignal) {
    this.#target = target;
    this.#url = new URL(target.url);
    this.#client = client;
    this.#signal = signal;
  }

  close(): void {
    this.#client.close();
    for (const publisher of this.#publishers) publisher.close();
  }

  /** Everything of a load, until the last block of every worker is found. */
  async publish(
    load: IndexerLoad,
    { model, firstInstance }: { model: string; firstInstance: number },
  ): Promise<Ingested> {
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
  async checkOwners(load: IndexerLoad): Promise<void> {
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

  /** Kept prompts, one after the other. */
  async askFor(load: IndexerLoad, model: string, queries: number): Promise<Asked> {
    const requests = load.kept.map(({ tokens }) =>
      LeanHttp.request(this.#url, '/query', queryOf(tokens, model)),
    );
    const times: number[] = [];
    const cpuBefore = cpuMsOf(this.#target.pid);
    for (let i = 0; i < queries; i += 1) {
      const startMs = performance.now();
      await this.#client.ask(requests[i % requests.length] as Buffer);
      times.push(performance.now() - startMs);
      if (i % CHECK_EVERY === 0) this.#signal.throwIfAborted();
    }
    return {
      queryP50Ms: quantile(times, 0.5),
      queryP99Ms: quantile(times, 0.99),
      queryCpuUs: ((cpuMsOf(this.#target.pid) - cpuBefore) * 1000) / queries,
    };
  }

  /** Whole prompts, prompts that go on with something new, and such that nobody has. */
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

function summary(measured: Omit<IndexerMeasurement, 'answers'>): string {
  const { blocksPerSec, cpuUsPerBlock, bytesPerBlock, queryP50Ms, queryP99Ms } = measured;
  const ingested = `${(blocksPerSec / 1e6).toFixed(2)} million blocks/s drained`;
  const cost = `${cpuUsPerBlock.toFixed(2)} µs CPU and ${Math.round(bytesPerBlock)} bytes a block`;
  const latency = `P50 ${queryP50Ms.toFixed(3)} ms, P99 ${queryP99Ms.toFixed(3)} ms`;
  return `${ingested}, ${cost}, query ${latency} (${Math.round(measured.queryCpuUs)} µs CPU)`;
}
