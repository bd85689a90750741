import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually, freePort, startNatsServer, type NatsServer } from '@baton/test-kit';
import { startServed, type Served } from '../../kit/served.ts';
import { toldToStop } from '../check.ts';
import type { VllmInstallation } from '../vllm/install.ts';
import { KV_BYTES_PER_TOKEN, RealVllm } from '../vllm/real-vllm.ts';
import { ArenaPages } from './arena-pages.ts';

const main = path.resolve(import.meta.dirname, '../../../apps/cli/src/main.ts');
const connector = path.resolve(import.meta.dirname, '../../../integrations/vllm');
/** For a start on a busy machine: bounds a failure, not a speed. */
const READY_MS = 120_000;
const SEGMENT_TOKENS = 64;
const PAGE_BYTES = SEGMENT_TOKENS * KV_BYTES_PER_TOKEN;
/** So few that pages have to give way. */
const ARENA_PAGES = 48;

export const workerIds = ['p', 'd'] as const;
export type WorkerId = (typeof workerIds)[number];
const roles = { p: 'prefill', d: 'decode' } as const;

/** What the conductor says of a worker. */
export interface WorkerState {
  workerId: string;
  state: string;
  counters: Record<string, number>;
  tiers: { tier: string; segments: number; same: boolean }[];
}

/** More of the engines' command line, and of their environment. */
export interface ConnectorSetup {
  flags?: readonly string[];
  env?: NodeJS.ProcessEnv;
}

/** Two real vLLM servers with Baton's connector, an agent beside each, and `baton serve --nats` in front of them. */
export class ConnectorLab {
  readonly installation: VllmInstallation;
  /** Of sockets, arenas and logs, and of whatever a check writes. */
  readonly folder: string;
  readonly #say: (line: string) => void;
  readonly #agents = new Map<WorkerId, ChildProcess>();
  readonly #engines = new Map<WorkerId, RealVllm>();
  readonly #stops: (() => Promise<void>)[] = [];
  #nats: NatsServer | undefined;
  #served: Served | undefined;
  #tracePort = 0;

  constructor(installation: VllmInstallation, folder: string, say: (line: string) => void) {
    this.installation = installation;
    this.folder = folder;
    this.#say = say;
  }

  get served(): Served {
    if (this.#served === undefined) throw new Error('the lab has not started');
    return this.#served;
  }

  engine(id: WorkerId): RealVllm {
    const engine = this.#engines.get(id);
    if (engine === undefined) throw new Error(`there is no engine ${id}`);
    return engine;
  }

  arena(id: WorkerId): ArenaPages {
    return new ArenaPages(this.folder, id, PAGE_BYTES);
  }

  async start({ flags: more = [], env = {} }: ConnectorSetup): Promise<void> {
    const { installation } = this;
    this.#nats = await startNatsServer();
    this.#stops.push(() => this.#nats?.stop() ?? Promise.resolve());
    this.#tracePort = await freePort();
    const flags = ['--nats', this.#nats.url, '--trace-port', String(this.#tracePort)];
    this.#served = await startServed(['serve', ...flags], { port: await freePort(), engines: 0 });
    this.#stops.push(() => this.served.stop());
    // Chunks leave while prefill computes; so few blocks that decode has to preempt.
    const own = {
      p: { blocks: 512, flags: ['--max-num-batched-tokens', '128'] },
      d: { blocks: 68, flags: [] },
    };
    for (const id of workerIds) {
      this.startAgent(id);
      this.#stops.push(() => this.#end(id, 'SIGTERM'));
      const engine = await RealVllm.begin({
        ...{ name: id, installation, folder: this.folder, blocks: own[id].blocks },
        flags: [...own[id].flags, ...more],
        transfer: (url) => this.#transfer(id, url),
        env: { PYTHONPATH: connector, PYTHONDONTWRITEBYTECODE: '1', ...env },
      });
      this.#engines.set(id, engine);
      this.#stops.push(() => engine.stop());
    }
    await Promise.all(workerIds.map((id) => this.engine(id).healthy()));
    for (const id of workerIds) await this.ready(id);
    this.#say('both engines serve, with their agents');
  }

  startAgent(id: WorkerId): void {
    const args = {
      '--worker-id': id,
      '--role': roles[id],
      '--socket-path': this.#socketOf(id),
      '--nats-url': this.#nats?.url ?? '',
      '--arena-folder': this.folder,
      '--dram-bytes': String(ARENA_PAGES * PAGE_BYTES),
      '--state-folder': this.folder,
    };
    const env = { BATON_TRACE_ENDPOINT: `http://127.0.0.1:${this.#tracePort}/v1/traces` };
    const log = openSync(path.join(this.folder, `agent-${id}.log`), 'a');
    const agent = spawn(process.execPath, [main, 'agent', ...Object.entries(args).flat()], {
      stdio: ['ignore', log, log],
      env: { ...process.env, ...env },
    });
    closeSync(log);
    this.#agents.set(id, agent);
  }

  /** As a crash would. */
  async killAgent(id: WorkerId): Promise<void> {
    await this.#end(id, 'SIGKILL');
  }

  async worker(id: WorkerId): Promise<WorkerState | undefined> {
    const response = await fetch(`${this.served.adminUrl()}/workers`);
    const { workers } = (await response.json()) as { workers: WorkerState[] };
    return workers.find(({ workerId }) => workerId === id);
  }

  async ready(id: WorkerId): Promise<void> {
    await eventually(async () => (await this.worker(id))?.state === 'ready', READY_MS);
  }

  async stop(): Promise<void> {
    for (const stop of this.#stops.splice(0).reverse()) await stop();
  }

  #socketOf(id: WorkerId): string {
    return path.join(this.folder, `${id}.sock`);
  }

  #transfer(id: WorkerId, url: string): Record<string, unknown> {
    return {
      ...{ kv_connector: 'BatonConnector', kv_connector_module_path: 'baton_vllm' },
      ...{ kv_role: 'kv_both', kv_load_failure_policy: 'recompute' },
      kv_connector_extra_config: { agent: this.#socketOf(id), url },
    };
  }

  async #end(id: WorkerId, signal: NodeJS.Signals): Promise<void> {
    const agent = this.#agents.get(id);
    if (agent === undefined || agent.exitCode !== null || agent.signalCode !== null) return;
    const ended = once(agent, 'exit');
    agent.kill(signal);
    await ended;
  }
}

/** Keeps the logs of a run that fails. */
export async function withConnectorLab(
  setup: ConnectorSetup,
  installation: VllmInstallation,
  say: (line: string) => void,
  signal: AbortSignal,
  use: (lab: ConnectorLab) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'baton-vc-'));
  say(`logs are in ${folder}`);
  const lab = new ConnectorLab(installation, folder, say);
  const aborted = toldToStop(signal);
  try {
    await Promise.race([lab.start(setup), aborted]);
    await Promise.race([use(lab), aborted]);
  } finally {
    await lab.stop();
  }
  rmSync(folder, { recursive: true, force: true });
}
