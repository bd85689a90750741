import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectAgent, LINK_WORD_MS } from '@baton/engine-link';
import type { baton } from '@baton/proto';
import { startNatsServer, startService } from '@baton/test-kit';
import { Publisher } from 'zeromq';
import type { Figure } from '../report.ts';
import { BLOCK_TOKENS, indexerLoad, SEQUENCE_BLOCKS } from './indexer-load.ts';
import { cpuMsOf } from './process-cost.ts';

const SEGMENT_TOKENS = 64;
/** So that what processes do in their first second is not measured. */
const WARM_UP_SEQUENCES = 200;
const SEQUENCES = 1_953;
const BLOCKS = SEQUENCES * SEQUENCE_BLOCKS;
/** Of the publisher: an engine whose cache fills this fast has a large pool of its own. */
const MESSAGES_AT_ONCE = 32;
const SUBSCRIBED_MS = 1_500;
const POLL_MS = 20;
const DRAIN_LIMIT_MS = 120_000;
const MIB = 1024 * 1024;

/**
 * Events of one engine over ZMQ into an agent, from there over NATS into a conductor's index, each in a process of its
 * own: the CPU of all three together for a block, from the first event published to the last segment found. The agent
 * keeps its journal on disk, as it does by default.
 */
export async function zmqPath(say: (line: string) => void, signal: AbortSignal): Promise<Figure[]> {
  const load = indexerLoad({
    ...{ workers: 1, sequencesPerWorker: WARM_UP_SEQUENCES + SEQUENCES, kept: 0, seed: 3 },
  });
  const messages = load.messages[0] ?? [];
  const folder = mkdtempSync(path.join(tmpdir(), 'baton-bench-'));
  const ends: (() => unknown)[] = [() => rmSync(folder, { recursive: true })];
  try {
    const publisher = new Publisher({ sendHighWaterMark: 0, linger: 0 });
    ends.unshift(() => publisher.close());
    await publisher.bind('tcp://127.0.0.1:*');
    const nats = await startNatsServer();
    ends.unshift(() => nats.stop());
    const ports = ['--nats-url', nats.url, '--grpc-port', '0', '--admin-port', '0'];
    const conductor = await startService('conductor', 'conductor', ports);
    ends.unshift(() => conductor.stop());
    const socketPath = path.join(folder, 'agent.sock');
    const agent = await startService('agent', 'agent', [
      ...['--nats-url', nats.url, '--worker-id', 'engine-1', '--socket-path', socketPath],
      ...['--arena-folder', folder, '--state-folder', folder, '--dram-bytes', String(MIB)],
    ]);
    ends.unshift(() => agent.stop());
    ends.unshift(standInEngine(socketPath, publisher.lastEndpoint ?? ''));
    const indexed = segmentsOf(conductor.endpoints['admin'] ?? '', signal);
    await indexed(0);
    await sleep(SUBSCRIBED_MS, undefined, { signal });

    const segments = (sequences: number): number =>
      (sequences * SEQUENCE_BLOCKS * BLOCK_TOKENS) / SEGMENT_TOKENS;
    const messagesEach = (messages.length - 1) / (WARM_UP_SEQUENCES + SEQUENCES);
    const warmUp = messages.slice(0, WARM_UP_SEQUENCES * messagesEach);
    await publish(publisher, warmUp, signal);
    await indexed(segments(WARM_UP_SEQUENCES));

    const processes = { agent, 'nats-server': nats, conductor };
    const cpuMs = (): number[] => Object.values(processes).map(({ pid }) => cpuMsOf(pid));
    const before = cpuMs();
    const startMs = performance.now();
    await publish(publisher, messages.slice(warmUp.length, -1), signal);
    await indexed(segments(WARM_UP_SEQUENCES + SEQUENCES));
    const wallS = (performance.now() - startMs) / 1000;
    const usPerBlock = cpuMs().map((ms, i) => ((ms - (before[i] ?? 0)) * 1000) / BLOCKS);
    const parts = Object.keys(processes).map((name, i) => `${name} ${usPerBlock[i]?.toFixed(2)}`);
    say(`a million blocks from ZMQ to the index; CPU µs a block: ${parts.join(', ')}`);
    return [
      { name: 'index.cpu_us_per_block', unit: 'µs', value: usPerBlock.reduce((a, b) => a + b) },
      { name: 'index.zmq_blocks_per_s', unit: 'blocks/s', value: BLOCKS / wallS },
    ];
  } finally {
    for (const end of ends) await end();
  }
}

/** The engine's side of the link to its agent; returns what ends it. */
function standInEngine(socketPath: string, eventsEndpoint: string): () => void {
  const abort = new AbortController();
  const report = (): void => void connection.send({ load: { load: { runningSequences: 0 } } });
  const connection = connectAgent({
    socketPath,
    hello: () => ({ worker, pageBytes: 4096, eventsEndpoint, replayEndpoint: '' }),
    onHello: report,
    onMessage: () => undefined,
    onClose: () => undefined,
    signal: abort.signal,
  });
  const talk = setInterval(report, LINK_WORD_MS);
  return () => {
    clearInterval(talk);
    abort.abort();
    connection.close();
  };
}

const worker: baton.v1.IWorker = {
  ...{ model: 'm', engine: 'vllm', engineUrl: 'http://127.0.0.1:1', tokenization: 'bench' },
  ...{ segmentTokens: SEGMENT_TOKENS, maxModelTokens: 131_072, maxSequences: 256 },
  kvCapacityBlocks: 2_000_000,
  layout: {
    ...{ modelRevision: 'a', dtype: 'bf16', layers: 2, ranks: 1, blockTokens: BLOCK_TOKENS },
    ...{ connector: 'bench', connectorVersion: '1', bytesPerToken: 64, segmentBytes: 4096 },
  },
};

/** In portions: a process that sends to itself what another one reads would otherwise never let it read. */
async function publish(
  publisher: Publisher,
  messages: readonly Uint8Array[][],
  signal: AbortSignal,
): Promise<void> {
  for (const [i, frames] of messages.entries()) {
    await publisher.send(frames);
    if (i % MESSAGES_AT_ONCE === 0) await sleep(0, undefined, { signal });
  }
}

/** Resolves when the index has so many segments. @throws Error when some are lost on the way */
function segmentsOf(admin: string, signal: AbortSignal): (wanted: number) => Promise<void> {
  return async (wanted) => {
    const deadlineMs = performance.now() + DRAIN_LIMIT_MS;
    for (;;) {
      const answer = await fetch(`${admin}/index`, { signal });
      const { stats, workers } = (await answer.json()) as IndexAnswer;
      if (workers.length > 0 && stats.segments >= wanted) return;
      if (performance.now() > deadlineMs) {
        throw new Error(`${stats.segments} of ${wanted} segments are in the index`);
      }
      await sleep(POLL_MS, undefined, { signal });
    }
  };
}

interface IndexAnswer {
  stats: { segments: number };
  workers: unknown[];
}
