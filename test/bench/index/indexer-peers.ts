import { spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { spawnGuarded } from '@baton/provision';
import { freePort, startNatsServer, startService } from '@baton/test-kit';
import type { Figure } from '../report.ts';
import { quantile } from '../statistics.ts';
import { IndexerDrive, type IndexerTarget, type IngestCost } from './indexer-drive.ts';
import { indexerLoad, type IndexerLoad } from './indexer-load.ts';

const WORKERS = 64;
/** 15,872 blocks each, a million in all. */
const SEQUENCES_PER_WORKER = 31;
const KEPT = 128;
const SEED = 1;
const SETTLE_MS = 1_000;
const PEER_THREADS = 4;
const PEER_START_MS = 60_000;
const collector = path.join(import.meta.dirname, 'collect-garbage.ts');

/** Queries of one turn, and turns: where there are two servers they take turns, so that both see the same machine. */
const QUERIES = 500;
const TURNS = 9;

/**
 * The indexer API under the load of 64 engines that store a million blocks; with `peers` Dynamo's indexer under the same
 * load, and their ratio. Answers have to be equal.
 */
export async function indexerUnderLoad(
  say: (line: string) => void,
  { signal, peers }: { signal: AbortSignal; peers: boolean },
): Promise<Figure[]> {
  const load = indexerLoad({
    ...{ workers: WORKERS, sequencesPerWorker: SEQUENCES_PER_WORKER, kept: KEPT, seed: SEED },
  });
  say(`${load.workers} engines with ${load.blocks} blocks are prepared`);
  return withConductor(async (ours) => {
    const python = peers ? dynamoPython(say) : undefined;
    if (python === undefined) return figuresOf(await measure([ours], load, say, signal));
    return withDynamo(python, signal, async (theirs) =>
      figuresOf(await measure([ours, theirs], load, say, signal)),
    );
  });
}

interface Measurement extends IngestCost {
  queryP50Ms: number;
  queryP99Ms: number;
}

/** The first one is ours. @throws Error when the others answer something else */
async function measure(
  targets: readonly IndexerTarget[],
  load: IndexerLoad,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<Measurement[]> {
  const opened: IndexerDrive[] = [];
  const drives: { name: string; drive: IndexerDrive; cost: IngestCost }[] = [];
  try {
    for (const target of targets) {
      const drive = await IndexerDrive.open(target, signal);
      opened.push(drive);
      await drive.warmUp();
      drives.push({ name: target.name, drive, cost: await drive.ingest(load) });
    }
    for (let turn = 0; turn < TURNS; turn += 1) {
      for (const { drive } of drives) await drive.ask(load, QUERIES);
    }
    await checkEqual(drives, load);
    return drives.map(({ name, drive, cost }) => {
      const queryP50Ms = quantile(drive.queryMs, 0.5);
      const queryP99Ms = quantile(drive.queryMs, 0.99);
      const queryCpuUs = (drive.queryCpuMs * 1000) / drive.queryMs.length;
      say(`${name}: ${summary({ ...cost, queryP50Ms, queryP99Ms, queryCpuUs })}`);
      return { ...cost, queryP50Ms, queryP99Ms };
    });
  } finally {
    for (const drive of opened) drive.close();
  }
}

async function checkEqual(
  drives: readonly { name: string; drive: IndexerDrive }[],
  load: IndexerLoad,
): Promise<void> {
  const [ours, ...others] = await Promise.all(
    drives.map(async ({ name, drive }) => ({ name, answers: await drive.answersTo(load) })),
  );
  for (const { name, answers } of others) {
    const at = answers.findIndex((answer, i) => !isDeepStrictEqual(answer, ours?.answers[i]));
    if (at < 0) continue;
    const [said, we] = [answers[at], ours?.answers[at]].map((answer) => JSON.stringify(answer));
    throw new Error(`${name} answers ${said}, we ${we}`);
  }
}

function figuresOf([ours, theirs]: readonly Measurement[]): Figure[] {
  if (ours === undefined) return [];
  const figures: Figure[] = [
    { name: 'index.api_blocks_per_s', value: ours.blocksPerSec, unit: 'blocks/s' },
    { name: 'index.api_cpu_us_per_block', value: ours.cpuUsPerBlock, unit: 'µs' },
    { name: 'index.api_bytes_per_block', value: ours.bytesPerBlock, unit: 'bytes' },
    { name: 'index.api_query_p50_ms', value: ours.queryP50Ms, unit: 'ms' },
    { name: 'index.api_query_p99_ms', value: ours.queryP99Ms, unit: 'ms' },
  ];
  if (theirs === undefined) return figures;
  const against = (name: string, value: number, baseline: number): Figure => ({
    name,
    value: value / baseline,
    unit: 'of Dynamo',
  });
  return [
    ...figures,
    against('index.peer_cpu_ratio', ours.cpuUsPerBlock, theirs.cpuUsPerBlock),
    against('index.peer_memory_ratio', ours.bytesPerBlock, theirs.bytesPerBlock),
    against('index.peer_query_ratio', ours.queryP50Ms, theirs.queryP50Ms),
  ];
}

function summary(measured: Measurement & { queryCpuUs: number }): string {
  const { blocksPerSec, cpuUsPerBlock, bytesPerBlock, queryP50Ms, queryP99Ms } = measured;
  const ingested = `${(blocksPerSec / 1e6).toFixed(2)} million blocks/s drained`;
  const cost = `${cpuUsPerBlock.toFixed(2)} µs CPU and ${Math.round(bytesPerBlock)} bytes a block`;
  const latency = `P50 ${queryP50Ms.toFixed(3)} ms, P99 ${queryP99Ms.toFixed(3)} ms`;
  return `${ingested}, ${cost}, query ${latency} (${Math.round(measured.queryCpuUs)} µs CPU)`;
}

async function withConductor<T>(run: (target: IndexerTarget) => Promise<T>): Promise<T> {
  const nats = await startNatsServer();
  try {
    const args = ['--nats-url', nats.url, '--grpc-port', '0', '--admin-port', '0'];
    const conductor = await startService(
      'conductor',
      'conductor',
      [...args, '--indexer-answers', 'dynamo'],
      { NODE_OPTIONS: `--import ${collector}` },
    );
    try {
      return await run({
        name: 'Baton',
        url: conductor.endpoints['admin'] ?? '',
        pid: conductor.pid,
        collect: async () => {
          process.kill(conductor.pid, 'SIGUSR2');
          await sleep(SETTLE_MS);
        },
      });
    } finally {
      await conductor.stop();
    }
  } finally {
    await nats.stop();
  }
}

/** A Python that has Dynamo's indexer; undefined, with a sentence, where there is none. */
function dynamoPython(say: (line: string) => void): string | undefined {
  const python = process.env['DYNAMO_PYTHON'] ?? 'python3';
  const probe = spawnSync(python, ['-c', 'import dynamo.indexer'], { encoding: 'utf8' });
  if (probe.status === 0) return python;
  say(
    `Dynamo's indexer is not installed (${python} cannot import dynamo.indexer), so there is nothing to compare with: ` +
      'docs/benchmarks.md says how to install it; DYNAMO_PYTHON names another Python.',
  );
  return undefined;
}

async function withDynamo<T>(
  python: string,
  signal: AbortSignal,
  run: (target: IndexerTarget) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(path.join(tmpdir(), 'baton-peer-'));
  const port = await freePort();
  const peer = spawnGuarded(
    python,
    ['-m', 'dynamo.indexer', '--port', String(port), '--threads', String(PEER_THREADS)],
    {
      env: { ...process.env, DYN_FILE_KV: folder, HF_HUB_OFFLINE: '1', DYN_LOG: 'warn' },
      leftFolder: folder,
    },
  );
  const { guard } = peer;
  guard.stdout?.resume();
  guard.stderr?.resume();
  try {
    const url = `http://127.0.0.1:${port}`;
    await listening(guard, url, signal);
    return await run({ name: 'Dynamo', url, pid: peer.commandPid() ?? 0 });
  } finally {
    peer.stop();
    if (guard.exitCode === null && guard.signalCode === null) await once(guard, 'exit');
    rmSync(folder, { recursive: true, force: true });
  }
}

async function listening(child: ChildProcess, url: string, signal: AbortSignal): Promise<void> {
  const deadlineMs = performance.now() + PEER_START_MS;
  for (;;) {
    try {
      await fetch(`${url}/health`, { signal });
      return;
    } catch (error) {
      signal.throwIfAborted();
      const isOver = child.exitCode !== null || performance.now() > deadlineMs;
      if (isOver) throw new Error("Dynamo's indexer does not start", { cause: error });
    }
    await sleep(100, undefined, { signal });
  }
}
