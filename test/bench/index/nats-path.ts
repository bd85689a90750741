import { fork, type ChildProcess } from 'node:child_process';
import { randomFillSync } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { connectBus } from '@baton/bus';
import { KEY_BYTES, Tier } from '@baton/kv';
import {
  startNatsServer,
  startService,
  type NatsServer,
  type ServiceProcess,
} from '@baton/test-kit';
import { KnowledgeAgent } from '../../kit/knowledge-agent.ts';
import type { Figure } from '../report.ts';
import { quantile } from '../statistics.ts';
import type { PublisherCommand, PublisherOptions, PublisherReport } from './delta-publisher.ts';
import { cpuMsOf } from './process-cost.ts';

const WORKERS = 16;
/** What one worker holds: a million in all. */
const SEGMENTS = 62_500 - (62_500 % 256);
const KEYS_PER_DELTA = 256;
/** Of each worker, until all hold what they may; then as many segments leave as come. */
const FILLING = SEGMENTS / KEYS_PER_DELTA;
const SUSTAINED = 1_000;
/** While delays are measured: 16 workers with a delta of 2 × 64 keys each 10 ms, as agents batch them. */
const PACED_KEYS = 64;
const PACED_PERIOD_MS = 10;
const PROBES = 400;
const PROBE_KEYS = 8;
const PROBE_PAUSE_MS = 15;
const POLL_MS = 20;
const publisherProgram = fileURLToPath(new URL('./delta-publisher.ts', import.meta.url));
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

/**
 * Deltas of 16 workers through a real nats-server into a conductor, each in its own process: how many
 * segments a second can come and go, and how long it takes from publishing to being found.
 */
export async function natsPath(
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<Figure[]> {
  const nats = await startNatsServer();
  try {
    const ports = ['--grpc-port', '0', '--admin-port', '0'];
    const args = ['--nats-url', nats.url, ...ports];
    const conductor = await startService('conductor', 'conductor', args);
    try {
      return await figuresOf(nats, conductor, say, signal);
    } finally {
      await conductor.stop();
    }
  } finally {
    await nats.stop();
  }
}

async function figuresOf(
  nats: NatsServer,
  conductor: ServiceProcess,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<Figure[]> {
  const figures = await withPublisher(nats.url, KEYS_PER_DELTA, signal, (publisher) =>
    sustained(publisher, conductor, nats.pid, say),
  );
  signal.throwIfAborted();
  const delays = await withPublisher(nats.url, PACED_KEYS, signal, (publisher) =>
    delaysUnderLoad(publisher, conductor, nats.url, signal),
  );
  say(
    `publish to found, under ${PACED_KEYS * 2 * WORKERS * (1000 / PACED_PERIOD_MS)} segments/s: ` +
      `median ${quantile(delays, 0.5).toFixed(2)} ms, P99 ${quantile(delays, 0.99).toFixed(2)} ms`,
  );
  return [
    ...figures,
    { name: 'index.nats_delay_p50_ms', value: quantile(delays, 0.5), unit: 'ms' },
    { name: 'index.nats_delay_p99_ms', value: quantile(delays, 0.99), unit: 'ms' },
  ];
}

async function sustained(
  publisher: PublisherProcess,
  conductor: ServiceProcess,
  natsPid: number,
  say: (line: string) => void,
): Promise<Figure[]> {
  await publisher.publish(FILLING, conductor);
  const before = [cpuMsOf(conductor.pid), cpuMsOf(natsPid)] as const;
  const startMs = performance.now();
  const publisherCpuMs = await publisher.publish(SUSTAINED, conductor);
  const wallS = (performance.now() - startMs) / 1000;
  const conductorS = (cpuMsOf(conductor.pid) - before[0]) / 1000;
  const natsS = (cpuMsOf(natsPid) - before[1]) / 1000;
  const segments = SUSTAINED * WORKERS * KEYS_PER_DELTA * 2;
  say(
    `${(segments / 1e6).toFixed(1)} M segment deltas in ${wallS.toFixed(1)} s; CPU: conductor ` +
      `${conductorS.toFixed(1)} s, nats-server ${natsS.toFixed(1)} s, publisher ${(publisherCpuMs / 1000).toFixed(1)} s`,
  );
  return [
    { name: 'index.nats_deltas_per_s', value: segments / wallS, unit: '/s' },
    { name: 'index.nats_deltas_per_cpu_s', value: segments / conductorS, unit: '/s' },
  ];
}

/** A worker publishes new segments; from then on a prompt of them is looked up until all are found. */
async function delaysUnderLoad(
  publisher: PublisherProcess,
  conductor: ServiceProcess,
  natsUrl: string,
  signal: AbortSignal,
): Promise<number[]> {
  const admin = conductor.endpoints['admin'] ?? '';
  const bus = await connectBus({ url: natsUrl, name: 'probe', log: silent });
  const agent = new KnowledgeAgent(bus, 'probe');
  agent.start(1000);
  const place = { rank: 0, tier: Tier.HBM, resumePoints: false };
  const connection = new Agent({ keepAlive: true, maxSockets: 1 });
  const rounds = Math.ceil((PROBES * 3 * PROBE_PAUSE_MS) / PACED_PERIOD_MS);
  const load = publisher.publish(rounds, conductor, PACED_PERIOD_MS);
  const delays: number[] = [];
  try {
    await found(admin, connection, new Uint8Array(KEY_BYTES));
    while (delays.length < PROBES) {
      signal.throwIfAborted();
      const keys = randomFillSync(new Uint8Array(PROBE_KEYS * KEY_BYTES));
      const startMs = performance.now();
      agent.store(place, keys);
      while ((await found(admin, connection, keys)) < PROBE_KEYS);
      delays.push(performance.now() - startMs);
      await sleep(PROBE_PAUSE_MS * Math.random() * 2);
    }
    await load;
  } finally {
    agent.stop();
    connection.destroy();
    await bus.close();
  }
  return delays;
}

/** Leading segments that somebody holds. */
async function found(admin: string, agent: Agent, keys: Uint8Array): Promise<number> {
  const headers = { 'content-type': 'application/octet-stream', 'content-length': keys.length };
  return new Promise((resolve, reject) => {
    const call = request(`${admin}/index/lookup`, { method: 'POST', agent, headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => (text += part));
      answer.on('end', () =>
        resolve((JSON.parse(text) as { knownSegments: number }).knownSegments),
      );
    });
    call.on('error', reject).end(keys);
  });
}

class PublisherProcess {
  readonly #child: ChildProcess;
  #before = 0;
  #published = 0;

  constructor(child: ChildProcess) {
    this.#child = child;
  }

  /** Resolves with the publisher's CPU time, ms, when the conductor has applied all of it. */
  async publish(deltas: number, conductor: ServiceProcess, periodMs?: number): Promise<number> {
    this.#published += deltas * WORKERS;
    let cpu: number | undefined;
    this.#child.once('message', (report: PublisherReport) => {
      if (report.type === 'published') cpu = report.cpuMs;
    });
    this.#send({ type: 'publish', deltas, ...(periodMs && { periodMs }) });
    for (;;) {
      if (this.#child.exitCode !== null) throw new Error('the publisher ended');
      const applied = await appliedDeltas(conductor);
      this.#send({ type: 'applied', deltas: applied });
      if (cpu !== undefined && applied >= this.#published) return cpu;
      await sleep(periodMs === undefined ? POLL_MS : POLL_MS * 10);
    }
  }

  #send(command: PublisherCommand): void {
    this.#child.send(command);
  }
}

async function withPublisher<T>(
  natsUrl: string,
  keysPerDelta: number,
  signal: AbortSignal,
  use: (publisher: PublisherProcess) => Promise<T>,
): Promise<T> {
  const options: PublisherOptions = { natsUrl, workers: WORKERS, keysPerDelta, segments: SEGMENTS };
  const child = fork(publisherProgram, [JSON.stringify(options)], { signal });
  // An abort is told by what waits for the child.
  child.on('error', () => undefined);
  try {
    await once(child, 'message', { signal });
    return await use(new PublisherProcess(child));
  } finally {
    child.kill();
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
}

interface IndexAnswer {
  workers: { workerId: string; sync: { lastDeltaSeq: number; counters: { gaps: number } } }[];
}

/** Of all ring workers; a gap would make the figure another one. */
async function appliedDeltas(conductor: ServiceProcess): Promise<number> {
  const answer = await fetch(`${conductor.endpoints['admin']}/index`);
  const { workers } = (await answer.json()) as IndexAnswer;
  const rings = workers.filter(({ workerId }) => workerId.startsWith('ring-'));
  const gaps = rings.reduce((sum, { sync }) => sum + sync.counters.gaps, 0);
  if (gaps > 0) throw new Error(`${gaps} times deltas were lost on the way`);
  return rings.reduce((sum, { sync }) => sum + sync.lastDeltaSeq, 0);
}
