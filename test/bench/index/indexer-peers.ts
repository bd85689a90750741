import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { freePort, startNatsServer, startService } from '@baton/test-kit';
import type { Figure } from '../report.ts';
import { driveIndexer, type IndexerMeasurement, type IndexerTarget } from './indexer-drive.ts';
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

/**
 * The indexer API under the load of 64 engines that store a million blocks; with `peers` Dynamo's indexer under the same
 * load, one after the other, and their ratio. Answers have to be equal.
 */
export async function indexerUnderLoad(
  say: (line: string) => void,
  { signal, peers }: { signal: AbortSignal; peers: boolean },
): Promise<Figure[]> {
  const load = indexerLoad({
    ...{ workers: WORKERS, sequencesPerWorker: SEQUENCES_PER_WORKER, kept: KEPT, seed: SEED },
  });
  say(`${load.workers} engines with ${load.blocks} blocks are prepared`);
  const ours = await withConductor((target) => driveIndexer(target, load, say, signal));
  const figures: Figure[] = [
    { name: 'index.api_blocks_per_s', value: ours.blocksPerSec, unit: 'blocks/s' },
    { name: 'index.api_cpu_us_per_block', value: ours.cpuUsPerBlock, unit: 'µs' },
    { name: 'index.api_bytes_per_block', value: ours.bytesPerBlock, unit: 'bytes' },
    { name: 'index.api_query_p50_ms', value: ours.queryP50Ms, unit: 'ms' },
    { name: 'index.api_query_p99_ms', value: ours.queryP99Ms, unit: 'ms' },
  ];
  const theirs = peers ? await measurePeer(load, say, signal) : undefined;
  if (theirs === undefined) return figures;
  if (!isDeepStrictEqual(ours.answers, theirs.answers)) {
    throw new Error(`Dynamo's indexer answers something else: ${firstDifference(ours, theirs)}`);
  }
  say('both gave the same answers');
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

/** Undefined, with a sentence, where Dynamo is not installed. */
async function measurePeer(
  load: IndexerLoad,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<IndexerMeasurement | undefined> {
  const python = process.env['DYNAMO_PYTHON'] ?? 'python3';
  const probe = spawnSync(python, ['-c', 'import dynamo.indexer'], { encoding: 'utf8' });
  if (probe.status !== 0) {
    say(
      `Dynamo's indexer is not installed (${python} cannot import dynamo.indexer), so there is nothing to compare with: ` +
        'docs/benchmarks.md says how to install it; DYNAMO_PYTHON names another Python.',
    );
    return undefined;
  }
  const folder = mkdtempSync(path.join(tmpdir(), 'baton-peer-'));
  const port = await freePort();
  const child = spawn(
    python,
    ['-m', 'dynamo.indexer', '--port', String(port), '--threads', String(PEER_THREADS)],
    {
      stdio: 'ignore',
      env: { ...process.env, DYN_FILE_KV: folder, HF_HUB_OFFLINE: '1', DYN_LOG: 'warn' },
    },
  );
  try {
    const url = `http://127.0.0.1:${port}`;
    await listening(child, url, signal);
    const target = { name: 'Dynamo', url, pid: child.pid ?? 0 };
    return await driveIndexer(target, load, say, signal);
  } finally {
    if (child.exitCode === null && child.kill('SIGKILL')) await once(child, 'exit');
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

function firstDifference(ours: IndexerMeasurement, theirs: IndexerMeasurement): string {
  const at = ours.answers.findIndex((answer, i) => !isDeepStrictEqual(answer, theirs.answers[i]));
  return `${JSON.stringify(theirs.answers[at])}, not ${JSON.stringify(ours.answers[at])}`;
}
