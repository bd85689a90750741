import path from 'node:path';
import { writeTinyModel } from '@baton/llama';
import { tinyModelPath } from '@baton/provision';
import { eventually, metricsOf, startNatsServer, startService } from '@baton/test-kit';
import type { NatsServer, ServiceProcess } from '@baton/test-kit';

const READY_TIMEOUT_MS = 60_000;
const IDLE_WITHIN_MS = 5_000;
/** Often, since tests wait for what a beat tells. */
const BEAT_INTERVAL_MS = 100;

/** The name under which the fleets of tests serve their model. */
export const MODEL = 'tiny';

export interface FleetOptions {
  prefill?: number;
  decode?: number;
  /** Workers that do both; there are none by default. */
  both?: number;
  /** Answers that do not depend on other requests; see the engine's flag. */
  reproducible?: boolean;
  /** GGUF file; default: the generated test model. */
  model?: string;
  engineArgs?: readonly string[];
  agentArgs?: (workerId: string) => readonly string[];
  conductorArgs?: readonly string[];
  gatewayArgs?: readonly string[];
  env?: NodeJS.ProcessEnv;
  /** Binary; default: the one that the whole run uses. */
  natsServer?: string;
}

export interface FleetWorker {
  id: string;
  role: 'prefill' | 'decode' | 'both';
  socketPath: string;
  engine: ServiceProcess;
  agent: ServiceProcess;
}

export interface Fleet {
  /** Base URL of the public API. */
  url: string;
  /** Base URL of the conductor's admin API. */
  adminUrl: string;
  nats: NatsServer;
  conductor: ServiceProcess;
  gateway: ServiceProcess;
  workers: FleetWorker[];
  worker(id: string): FleetWorker;
  /** Waits until the conductor holds `count` ready workers. */
  ready(count?: number): Promise<void>;
  startAgent(worker: FleetWorker): Promise<void>;
  stop(): Promise<void>;
}

export function testModel(): Promise<string> {
  return tinyModelPath({ env: process.env, write: (file) => writeTinyModel(file) });
}

/** Where something has to happen while a prompt is computed: twice the attention, with as many bytes of KV. */
export function slowTestModel(): Promise<string> {
  const shape = { heads: 4, kvHeads: 2, headDim: 16 };
  const write = (file: string): void => writeTinyModel(file, shape);
  return tinyModelPath({ env: process.env, name: 'tiny-slow.gguf', write });
}

/** A whole Baton of real processes on free ports: nats-server, conductor, gateway, engines with their agents. */
export async function startFleet(options: FleetOptions = {}): Promise<Fleet> {
  const model = options.model ?? (await testModel());
  const nats = await startNatsServer([], options.natsServer);
  const started: ServiceProcess[] = [];
  const start: typeof startService = async (...args) => {
    const service = await startService(...args);
    started.push(service);
    return service;
  };
  const stop = async (): Promise<void> => {
    await Promise.all(started.map((service) => service.stop()));
    await nats.stop();
  };
  const agentArgs = (id: string, role: string, socketPath: string): string[] => [
    ...['--worker-id', id, '--role', role, '--nats-url', nats.url, '--socket-path', socketPath],
    ...['--beat-interval-ms', String(BEAT_INTERVAL_MS), '--state-folder', nats.folder],
    ...(options.agentArgs?.(id) ?? []),
  ];
  try {
    const conductorArgs = [
      '--nats-url',
      nats.url,
      '--grpc-port',
      '0',
      '--admin-port',
      '0',
      ...(options.conductorArgs ?? []),
    ];
    const conductor = start('conductor', 'conductor', conductorArgs, options.env);
    const names = [
      ...named('prefill', options.prefill ?? 2),
      ...named('decode', options.decode ?? 2),
      ...named('both', options.both ?? 0),
    ];
    const workers = names.map(async ({ id, role }): Promise<FleetWorker> => {
      const socketPath = path.join(nats.folder, `${id}.sock`);
      const agent = start('agent', `agent ${id}`, agentArgs(id, role, socketPath), options.env);
      const args = [
        ...['--model', model, '--model-name', MODEL, '--worker-id', id, '--role', role],
        ...['--agent-socket', socketPath, '--threads', '1'],
        ...(options.reproducible === true ? ['--reproducible'] : []),
        ...(options.engineArgs ?? []),
      ];
      const engine = start('engine', `engine ${id}`, args, options.env);
      return { id, role, socketPath, engine: await engine, agent: await agent };
    });
    const adminUrl = (await conductor).endpoints['admin'] ?? '';
    const gateway = await start(
      'gateway',
      'gateway',
      [
        ...['--conductor', (await conductor).endpoints['grpc'] ?? '', '--port', '0'],
        ...(options.gatewayArgs ?? []),
      ],
      options.env,
    );
    const url = gateway.endpoints['http'] ?? '';
    const fleet: Fleet = {
      url,
      adminUrl,
      nats,
      conductor: await conductor,
      gateway,
      workers: await Promise.all(workers),
      worker: (id) => {
        const found = fleet.workers.find((worker) => worker.id === id);
        if (found === undefined) throw new Error(`no worker ${id} in this fleet`);
        return found;
      },
      ready: (count = names.length) => waitForWorkers(adminUrl, url, count),
      startAgent: async (worker) => {
        const args = agentArgs(worker.id, worker.role, worker.socketPath);
        worker.agent = await start('agent', `agent ${worker.id}`, args, options.env);
      },
      stop,
    };
    await fleet.ready();
    return fleet;
  } catch (error) {
    await stop();
    throw error;
  }
}

function named(
  role: FleetWorker['role'],
  count: number,
): { id: string; role: FleetWorker['role'] }[] {
  return Array.from({ length: count }, (_, i) => ({ id: `${role}-${i + 1}`, role }));
}

async function waitForWorkers(adminUrl: string, url: string, count: number): Promise<void> {
  await eventually(async () => {
    const { workers } = await getJson<{ workers: { state: string }[] }>(`${adminUrl}/workers`);
    const ready = workers.filter((worker) => worker.state === 'ready').length;
    if (ready !== count) throw new Error(`${ready} of ${count} workers are ready`);
    const health = await fetch(`${url}/health`);
    if (!health.ok) throw new Error(`gateway: ${await health.text()}`);
  }, READY_TIMEOUT_MS);
}

export async function getJson<T>(url: string): Promise<T> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

interface WorkerView {
  workerId: string;
  lastBeatAtMs: number;
  loads: { booked: Record<string, number>; runningSequences: number; waitingSequences: number }[];
  transfers: unknown[];
  counters: { pinnedPages: number; leases: number; pullsActive: number };
}

/** Within the five seconds that Baton promises, or those given: bookings, leases, pages and sequences are all back. */
export async function expectIdle(fleet: Fleet, withinMs = IDLE_WITHIN_MS): Promise<void> {
  // Counters of agents are as old as their last beat: one that was sent after this moment has to come.
  const sinceMs = Date.now();
  await eventually(async () => {
    const busy: string[] = [];
    const note = (what: string, value: number): void => {
      if (value !== 0) busy.push(`${what} is ${value}`);
    };
    const { workers } = await getJson<{ workers: WorkerView[] }>(`${fleet.adminUrl}/workers`);
    const { live, waiting } = await getJson<Record<string, number>>(`${fleet.adminUrl}/plans`);
    note('live plans', live ?? NaN);
    note('waiting requests', waiting ?? NaN);
    for (const worker of workers) {
      const of = (name: string): string => `${name} of ${worker.workerId}`;
      note(of('beats to come'), worker.lastBeatAtMs >= sinceMs ? 0 : 1);
      for (const { booked } of worker.loads) {
        for (const [name, value] of Object.entries(booked)) note(of(`booked ${name}`), value);
      }
      note(of('transfers'), worker.transfers.length);
      note(of('active pulls'), worker.counters.pullsActive);
      note(of('pinned pages'), worker.counters.pinnedPages);
      note(of('leases'), worker.counters.leases);
    }
    for (const { id, engine } of fleet.workers) {
      if (engine.hasExited()) continue;
      const metrics = await metricsOf(engine.endpoints['http'] ?? '');
      for (const name of ['running', 'waiting']) {
        note(`${name} sequences of ${id}`, metrics.get(`num_requests_${name}`) ?? NaN);
      }
    }
    if (busy.length > 0) throw new Error(busy.join('; '));
  }, withinMs);
}
