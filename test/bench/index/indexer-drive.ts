import { setTimeout as sleep } from 'node:timers/promises';
import { Publisher } from 'zeromq';
import { quantile } from '../statistics.ts';
import { BLOCK_TOKENS, SEQUENCE_BLOCKS, type IndexerLoad } from './indexer-load.ts';
import { LeanHttp } from './lean-http.ts';
import { cpuMsOf, residentBytesOf } from './process-cost.ts';

const MODEL = 'm';
/** Publishers do not wait for subscribers, and say nothing of them. */
const SUBSCRIBE_MS = 3_000;
const DRAIN_LIMIT_MS = 240_000;
const POLL_MS = 20;
const QUERIES = 1_500;
const ROUNDS = 3;
const WARM_UP = 200;

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
 * block of each is found, and asks for prompts. @throws Error when something is missing at the end.
 */
export async function driveIndexer(
  target: IndexerTarget,
  load: IndexerLoad,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<IndexerMeasurement> {
  const url = new URL(target.url);
  const client = await LeanHttp.open(url);
  const publishers: Publisher[] = [];
  try {
    const before = residentBytesOf(target.pid);
    for (let worker = 0; worker < load.workers; worker += 1) {
      const publisher = new Publisher({ sendHighWaterMark: 0, linger: 0 });
      publishers.push(publisher);
      await publisher.bind('tcp://127.0.0.1:*');
      await post(client, url, '/register', {
        ...{ instance_id: worker + 1, endpoint: publisher.lastEndpoint },
        ...{ model_name: MODEL, block_size: BLOCK_TOKENS },
      });
    }
    await sleep(SUBSCRIBE_MS, undefined, { signal });
    const ingested = await ingest(target, load, publishers, client, signal);
    await target.collect?.();
    const bytesPerBlock = (residentBytesOf(target.pid) - before) / load.blocks;
    await checkOwners(client, url, load);
    const queries = await askAll(target, load, client, signal);
    const measured = { ...ingested, bytesPerBlock, ...queries };
    say(`${target.name}: ${summary(measured)}`);
    const answers = await answersTo(client, url, load);
    return { ...measured, answers };
  } finally {
    client.close();
    for (const publisher of publishers) publisher.close();
  }
}

type Ingested = Pick<IndexerMeasurement, 'blocksPerSec' | 'cpuUsPerBlock'>;

async function ingest(
  target: IndexerTarget,
  load: IndexerLoad,
  publishers: readonly Publisher[],
  client: LeanHttp,
  signal: AbortSignal,
): Promise<Ingested> {
  const url = new URL(target.url);
  const cpuBefore = cpuMsOf(target.pid);
  const startMs = performance.now();
  const longest = Math.max(...load.messages.map((messages) => messages.length));
  for (let i = 0; i < longest; i += 1) {
    for (const [worker, messages] of load.messages.entries()) {
      const frames = messages[i];
      if (frames !== undefined) await publishers[worker]?.send(frames);
    }
    signal.throwIfAborted();
  }
  for (let worker = 0; worker < load.workers; worker += 1) {
    const query = { model_name: MODEL, token_ids: load.marker(worker) };
    while (!(await instancesOf(client, url, query)).includes(String(worker + 1))) {
      if (performance.now() - startMs > DRAIN_LIMIT_MS) {
        throw new Error(`${target.name} has not found the last block of worker ${worker + 1}`);
      }
      await sleep(POLL_MS, undefined, { signal });
    }
  }
  const seconds = (performance.now() - startMs) / 1000;
  const cpuUs = (cpuMsOf(target.pid) - cpuBefore) * 1000;
  return { blocksPerSec: load.blocks / seconds, cpuUsPerBlock: cpuUs / load.blocks };
}

/** Every kept prompt belongs to one worker, which has all of it. */
async function checkOwners(client: LeanHttp, url: URL, load: IndexerLoad): Promise<void> {
  for (const { worker, tokens } of load.kept) {
    const answer = await post(client, url, '/query', queryOf(tokens));
    const { instances } = answer as { instances: Record<string, { longest_matched: number }> };
    const found = instances[String(worker + 1)]?.longest_matched;
    if (found !== SEQUENCE_BLOCKS * BLOCK_TOKENS || Object.keys(instances).length !== 1) {
      throw new Error(`worker ${worker + 1} should have a whole prompt: ${JSON.stringify(answer)}`);
    }
  }
}

async function askAll(
  target: IndexerTarget,
  load: IndexerLoad,
  client: LeanHttp,
  signal: AbortSignal,
): Promise<Pick<IndexerMeasurement, 'queryP50Ms' | 'queryP99Ms' | 'queryCpuUs'>> {
  const url = new URL(target.url);
  const requests = load.kept.map(({ tokens }) => LeanHttp.request(url, '/query', queryOf(tokens)));
  const request = (i: number): Buffer => requests[i % requests.length] as Buffer;
  for (let i = 0; i < WARM_UP; i += 1) await client.ask(request(i));
  const times: number[] = [];
  const cpuBefore = cpuMsOf(target.pid);
  for (let i = 0; i < QUERIES * ROUNDS; i += 1) {
    const startMs = performance.now();
    await client.ask(request(i));
    times.push(performance.now() - startMs);
    if (i % QUERIES === 0) signal.throwIfAborted();
  }
  const cpuUs = (cpuMsOf(target.pid) - cpuBefore) * 1000;
  return {
    queryP50Ms: quantile(times, 0.5),
    queryP99Ms: quantile(times, 0.99),
    queryCpuUs: cpuUs / times.length,
  };
}

/** Whole prompts, prompts that go on with something new, and such that nobody has. */
async function answersTo(client: LeanHttp, url: URL, load: IndexerLoad): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const { tokens } of load.kept.slice(0, 40)) {
    const half = tokens.slice();
    half.fill(1, tokens.length / 2);
    const whole = await post(client, url, '/query', queryOf(tokens));
    const begun = await post(client, url, '/query', queryOf(half));
    const unknown = await post(client, url, '/query', queryOf(tokens.toReversed()));
    answers.push(whole, begun, unknown);
  }
  return answers;
}

function queryOf(tokens: Uint32Array): object {
  return { model_name: MODEL, token_ids: Array.from(tokens) };
}

async function instancesOf(client: LeanHttp, url: URL, query: object): Promise<string[]> {
  const answer = await post(client, url, '/query', query);
  return Object.keys((answer as { instances?: object }).instances ?? {});
}

async function post(client: LeanHttp, url: URL, path: string, body: object): Promise<unknown> {
  const answer = await client.ask(LeanHttp.request(url, path, body));
  return JSON.parse(answer.toString()) as unknown;
}

function summary(measured: Omit<IndexerMeasurement, 'answers'>): string {
  const { blocksPerSec, cpuUsPerBlock, bytesPerBlock, queryP50Ms, queryP99Ms } = measured;
  const ingested = `${(blocksPerSec / 1e6).toFixed(2)} million blocks/s drained`;
  const cost = `${cpuUsPerBlock.toFixed(2)} µs CPU and ${Math.round(bytesPerBlock)} bytes a block`;
  const latency = `P50 ${queryP50Ms.toFixed(3)} ms, P99 ${queryP99Ms.toFixed(3)} ms`;
  return `${ingested}, ${cost}, query ${latency} (${Math.round(measured.queryCpuUs)} µs CPU)`;
}
