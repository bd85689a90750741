import { once } from 'node:events';
import { mkdirSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { spawn, type ChildProcess } from 'node:child_process';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually, freePort, startNatsServer, type NatsServer } from '@baton/test-kit';
import { ArenaPages } from './arena-pages.ts';
import { startVllm, type VllmServer } from './vllm-server.ts';

const main = path.resolve(import.meta.dirname, '../../../apps/cli/src/main.ts');
const STARTED_MS = 60_000;
/** Of the model of this run: two layers of two heads of 64 values, in float32. */
export const PAGE_BYTES = 131_072;
/** So small that pages have to give way. */
const ARENA_PAGES = 48;

export type WorkerId = 'p' | 'd';
const roles = { p: 'prefill', d: 'decode' } as const;

export interface FleetSettings {
  venv: string;
  model: string;
  /** Logs of all processes. */
  logFolder: string;
  say: (line: string) => void;
}

/** Two real vLLM servers with Baton's connector, an agent beside each, and `baton serve` in front of them. */
export class Fleet {
  readonly #settings: FleetSettings;
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'baton-vllm-'));
  readonly #agents = new Map<WorkerId, ChildProcess>();
  readonly #engines = new Map<WorkerId, VllmServer>();
  readonly #children: ChildProcess[] = [];
  #nats: NatsServer | undefined;
  #traceUrl = '';
  url = '';
  adminUrl = '';

  private constructor(settings: FleetSettings) {
    this.#settings = settings;
    mkdirSync(settings.logFolder, { recursive: true });
  }

  static async start(settings: FleetSettings): Promise<Fleet> {
    const fleet = new Fleet(settings);
    try {
      await fleet.#start();
      return fleet;
    } catch (error) {
      await fleet.stop();
      throw error;
    }
  }

  engine(id: WorkerId): string {
    return this.#engines.get(id)?.url ?? '';
  }

  arena(id: WorkerId): ArenaPages {
    return new ArenaPages(this.#folder, id, PAGE_BYTES);
  }

  startAgent(id: WorkerId): void {
    const args = ['agent', '--worker-id', id, '--role', roles[id]];
    const arena = [
      '--arena-folder',
      this.#folder,
      '--dram-bytes',
      String(ARENA_PAGES * PAGE_BYTES),
    ];
    const place = ['--socket-path', this.#socketOf(id), '--nats-url', this.#nats?.url ?? ''];
    const env = {
      BATON_TRACE_ENDPOINT: `${this.#traceUrl}/v1/traces`,
      BATON_STATE_FOLDER: this.#folder,
    };
    this.#agents.set(id, this.#run(`agent-${id}`, [...args, ...arena, ...place], env));
  }

  /** As a crash would. */
  async killAgent(id: WorkerId): Promise<void> {
    const agent = this.#agents.get(id);
    if (agent === undefined) return;
    const ended = once(agent, 'exit');
    agent.kill('SIGKILL');
    await ended;
  }

  /** What the conductor knows of a worker. */
  async worker(id: WorkerId): Promise<Worker | undefined> {
    const response = await fetch(`${this.adminUrl}/workers`);
    const { workers } = (await response.json()) as { workers: Worker[] };
    return workers.find(({ workerId }) => workerId === id);
  }

  async ready(id: WorkerId): Promise<void> {
    await eventually(async () => (await this.worker(id))?.state === 'ready', STARTED_MS);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#engines.values()].map((engine) => engine.stop()));
    for (const child of [...this.#children, ...this.#agents.values()]) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    }
    await this.#nats?.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #start(): Promise<void> {
    const { say, ...settings } = this.#settings;
    this.#nats = await startNatsServer();
    const [port, admin, trace] = [await freePort(), await freePort(), await freePort()];
    [this.url, this.adminUrl, this.#traceUrl] = [port, admin, trace].map(
      (number) => `http://127.0.0.1:${number}`,
    ) as [string, string, string];
    const ports = { '--port': port, '--admin-port': admin, '--trace-port': trace };
    const flags = Object.entries(ports).flatMap(([flag, value]) => [flag, String(value)]);
    this.#children.push(this.#run('serve', ['serve', '--nats', this.#nats.url, ...flags], {}));
    await eventually(async () => (await fetch(`${this.adminUrl}/workers`)).ok, STARTED_MS);
    // Chunks of 128 tokens leave while prefill computes; so few blocks that decode has to preempt.
    const extra = {
      p: ['--max-num-batched-tokens', '128'],
      d: ['--num-gpu-blocks-override', '64'],
    };
    for (const id of ['p', 'd'] as const) {
      this.startAgent(id);
      say(`starting vLLM ${id} (minutes)`);
      const socketPath = this.#socketOf(id);
      const engine = { ...settings, name: id, socketPath, extra: extra[id] };
      this.#engines.set(id, await startVllm(engine));
    }
    for (const id of ['p', 'd'] as const) await this.ready(id);
  }

  #socketOf(id: WorkerId): string {
    return path.join(this.#folder, `${id}.sock`);
  }

  #run(name: string, args: string[], env: NodeJS.ProcessEnv): ChildProcess {
    const log = openSync(path.join(this.#settings.logFolder, `${name}.log`), 'a');
    const options = { env: { ...process.env, ...env }, stdio: ['ignore', log, log] as const };
    return spawn(process.execPath, [main, ...args], { ...options, stdio: [...options.stdio] });
  }
}

interface Worker {
  workerId: string;
  state: string;
  counters: Record<string, number>;
  tiers: { tier: string; segments: number; same: boolean }[];
}
