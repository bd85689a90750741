import { setTimeout as sleep } from 'node:timers/promises';
import {
  SglangPageNaming,
  startSglangFleet,
  startVllmFleet,
  VllmBlockNaming,
  type StandInFleet,
} from '@baton/engine-sim';
import { complete, eventually, freePort, startOtlpReceiver } from '@baton/test-kit';
import { startServed } from '../../kit/served.ts';
import type { Figure, Suite } from '../report.ts';
import { quantile } from '../statistics.ts';
import { difference, heldByEngines } from './index-difference.ts';
import { loadOf, type LoadOptions, type LoadRequest } from './load.ts';

const PER_ROLE = 50;
const MODEL = 'stand-in';
const BLOCK_TOKENS = 16;
const MAX_TOKENS = 8;
/** What two cores carry with the engines and the client beside. */
const LOAD = {
  ...{ requests: 10_000, requestsPerSec: 60, seed: 1 },
  ...{ stems: 200, stemTokens: 1_024, restTokens: 256 },
};
const SETTLED_MS = 60_000;

/** What engines are behind `baton serve`, and what comes. */
export interface FleetRun {
  engine: 'vllm' | 'sglang';
  perRole: number;
  /** Data-parallel ranks of each engine; stand-ins of vLLM have one. */
  ranks: number;
  load: LoadOptions;
}

const engines = ['vllm', 'sglang'] as const;

/** A hundred stand-ins, half of them for prefill, `baton serve` in front, and more requests than come by in a day. */
export const fleetSuite: Suite = {
  name: 'fleet',
  describes: 'baton serve in front of 50 + 50 stand-ins: errors, violations, the index (--engine)',
  run(say, { signal, engine: wanted = 'vllm' }) {
    const engine = engines.find((one) => one === wanted);
    if (engine === undefined) throw new Error(`--engine must be ${engines.join(' or ')}`);
    return runFleet({ engine, perRole: PER_ROLE, ranks: 1, load: LOAD }, say, signal);
  },
};

export async function runFleet(
  run: FleetRun,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<Figure[]> {
  const fleet = await startEngines(run);
  const receiver = await startOtlpReceiver();
  const port = await freePort();
  const baton = await startServed(commandOf(fleet, run), {
    ...{ port, engines: fleet.engines.length },
    env: { BATON_TRACE_ENDPOINT: receiver.tracesEndpoint },
  });
  try {
    say(`${fleet.engines.length} engines are served`);
    const { errors, chains, ttftMs } = await send(baton.url, loadOf(run.load), say, signal);
    for (const [error, count] of errors) say(`${count} × ${error}`);
    await eventually(() => fleet.leaks().length === 0, SETTLED_MS);
    const { replicas, differing } = await settledDifference(baton.adminUrl(), fleet, chains, run);
    const planMs = receiver.spans
      .filter(({ name }) => name === 'plan')
      .map(({ startTimeUnixNano: from, endTimeUnixNano: to }) => Number(to - from) / 1e6);
    for (const { kind, detail } of fleet.violations.list.slice(0, 5)) say(`${kind}: ${detail}`);
    const figure = (name: string, value: number, unit: string): Figure => ({
      ...{ name: `fleet.${name}`, value, unit },
    });
    return [
      figure('requests', chains.length, ''),
      figure(
        'errors',
        [...errors.values()].reduce((sum, count) => sum + count, 0),
        '',
      ),
      figure('violations', fleet.violations.total, ''),
      figure('index_replicas', replicas, 'replicas'),
      figure('index_diff', differing, 'replicas'),
      figure('plan_p50_ms', quantile(planMs, 0.5), 'ms'),
      figure('plan_p99_ms', quantile(planMs, 0.99), 'ms'),
      figure('ttft_p50_ms', quantile(ttftMs, 0.5), 'ms'),
      figure('ttft_p99_ms', quantile(ttftMs, 0.99), 'ms'),
    ];
  } finally {
    await baton.stop();
    await Promise.all([fleet.stop(), receiver.close()]);
  }
}

function startEngines({ engine, perRole, ranks }: FleetRun): Promise<StandInFleet> {
  const names = Array.from({ length: 2 * perRole }, (_, i) => `w${i}`);
  const shared = { model: MODEL, blockTokens: BLOCK_TOKENS, blocks: 1_024, speedUp: 5 };
  return engine === 'vllm'
    ? startVllmFleet(names, { ...shared, nixl: {} })
    : startSglangFleet(names, {
        ...{ ...shared, ranks },
        modeOf: (i) => (i < perRole ? 'prefill' : 'decode'),
      });
}

function commandOf({ engines: started }: StandInFleet, { perRole }: FleetRun): string[] {
  const flags = started.flatMap(({ url }, i) => [i < perRole ? '--prefill' : '--decode', url]);
  return ['serve', '--kv-bytes-per-token', '2048', ...flags];
}

interface Sent {
  /** By what was wrong, how often. */
  errors: Map<string, number>;
  chains: number[][];
  ttftMs: number[];
}

/** Sends each request at its time, whatever has become of those before. */
async function send(
  url: string,
  load: readonly LoadRequest[],
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<Sent> {
  const sent: Sent = { errors: new Map(), chains: [], ttftMs: [] };
  const open: Promise<void>[] = [];
  const startMs = performance.now();
  for (const [i, { atMs, prompt }] of load.entries()) {
    const restMs = startMs + atMs - performance.now();
    if (restMs > 1) await sleep(restMs, undefined, { signal });
    open.push(one(url, prompt, sent, signal));
    if ((i + 1) % 2_500 === 0) {
      const sec = (performance.now() - startMs) / 1_000;
      say(`${i + 1} sent after ${sec.toFixed(1)} s, ${sent.chains.length} answered`);
    }
  }
  await Promise.all(open);
  return sent;
}

async function one(
  url: string,
  prompt: number[],
  { errors, chains, ttftMs }: Sent,
  signal: AbortSignal,
): Promise<void> {
  try {
    const body = { model: MODEL, prompt, max_tokens: MAX_TOKENS, stream: true };
    const { tokenIds, firstTokenMs } = await complete(url, body, signal);
    // The KV of the last token is never computed.
    chains.push([...prompt, ...tokenIds.slice(0, -1)]);
    ttftMs.push(firstTokenMs);
  } catch (error) {
    const text = String((error as Error).message).slice(0, 200);
    errors.set(text, (errors.get(text) ?? 0) + 1);
  }
}

/** Replicas that the caches hold, and in how many the index differs from them once it agrees, or does not. */
async function settledDifference(
  admin: string,
  { engines: started }: StandInFleet,
  chains: readonly (readonly number[])[],
  { engine, ranks }: FleetRun,
): Promise<{ replicas: number; differing: number }> {
  const { workers } = (await (await fetch(`${admin}/workers`)).json()) as {
    workers: { workerId: string; engineUrl: string; tokenization: string; segmentTokens: number }[];
  };
  const idOf = new Map(workers.map(({ engineUrl, workerId }) => [engineUrl, workerId]));
  const { tokenization = '', segmentTokens = 64 } = workers[0] ?? {};
  const naming = engine === 'vllm' ? new VllmBlockNaming('0') : new SglangPageNaming();
  const caches = {
    ...{ engines: started, chains, naming, ranks },
    ...{ blockTokens: BLOCK_TOKENS, segmentTokens, tokenization },
  };
  const held = heldByEngines(caches, ({ url }) => idOf.get(url) ?? '');
  let differing = Infinity;
  await eventually(async () => {
    const dump = await (await fetch(`${admin}/index/dump`)).text();
    const indexed = dump.split('\n').flatMap((line) => {
      if (line === '') return [];
      const { worker, rank, key } = JSON.parse(line) as Record<string, string | number>;
      return `${worker} ${rank} ${key}`;
    });
    differing = difference(held, new Set(indexed));
    return differing === 0;
  }, SETTLED_MS).catch(() => undefined);
  return { replicas: held.size, differing };
}
