import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { eventually, metricsOf, send } from '@baton/test-kit';
import { enginePorts } from './engine-ports.ts';
import type { VllmInstallation } from './install.ts';

/** Name under which every engine serves the test model. */
export const MODEL = 'tiny';
export const BLOCK_TOKENS = 32;
export const MAX_MODEL_TOKENS = 2_048;
/** KV of one token in the test model: 2 layers × K and V × 2 heads × 64 × float32. */
export const KV_BYTES_PER_TOKEN = 2_048;
/**
 * The model runs in the engine's own process, as it does on one GPU. On CPUs vLLM makes a worker process even for `uni`,
 * and that one never sleeps while something is under way: two of them starve the rest of a small machine.
 */
const IN_PROCESS = 'vllm.v1.executor.uniproc_executor.UniProcExecutor';
/** Four threads of Python on two cores take their time. */
const STARTED_MS = 400_000;
const STOPPED_MS = 15_000;
const LOG_TAIL_CHARS = 2_000;

export interface RealVllmOptions {
  name: string;
  installation: VllmInstallation;
  /** Folder of its log. */
  folder: string;
  /** Blocks of its KV cache. */
  blocks: number;
  /** As --kv-transfer-config, of the engine with this URL. */
  transfer?: (url: string) => Record<string, unknown>;
  /** More of the command line. */
  flags?: readonly string[];
  env?: NodeJS.ProcessEnv;
}

/** One real vLLM process on this machine's CPU, at ports that stay its own over restarts. */
export class RealVllm {
  readonly name: string;
  readonly port: number;
  readonly #options: RealVllmOptions;
  readonly #ports: { events: number; replay: number; side: number };
  #process: ChildProcess | undefined;

  private constructor(options: RealVllmOptions, ports: readonly number[]) {
    const [port = 0, events = 0, replay = 0, side = 0] = ports;
    this.#options = options;
    this.name = options.name;
    this.port = port;
    this.#ports = { events, replay, side };
  }

  /** Starts one; it serves when {@link healthy} resolves. */
  static async begin(options: RealVllmOptions): Promise<RealVllm> {
    const ports = await enginePorts(4);
    const engine = new RealVllm(options, ports);
    engine.restart();
    return engine;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Where other engines meet it. */
  get sidePort(): number {
    return this.#ports.side;
  }

  /** The worker id that Baton gives it. */
  get workerId(): string {
    return `127-0-0-1-${this.port}`;
  }

  get logFile(): string {
    return path.join(this.#options.folder, `${this.name}.log`);
  }

  /** Starts its process, which must not be there. */
  restart(): void {
    const { installation, blocks, transfer, flags = [], env = {} } = this.#options;
    const { events, replay, side } = this.#ports;
    const endpoints = { endpoint: `tcp://*:${events}`, replay_endpoint: `tcp://*:${replay}` };
    const kvEvents = { enable_kv_cache_events: true, publisher: 'zmq', topic: '', ...endpoints };
    const args = [
      ...['serve', installation.model, '--served-model-name', MODEL],
      ...['--host', '127.0.0.1', '--port', String(this.port)],
      ...['--enforce-eager', '--dtype', 'float32', '--block-size', String(BLOCK_TOKENS)],
      ...['--max-model-len', String(MAX_MODEL_TOKENS), '--max-num-seqs', '16'],
      ...['--num-gpu-blocks-override', String(blocks), '--enable-prompt-tokens-details'],
      ...['--kv-events-config', JSON.stringify(kvEvents)],
      ...['--distributed-executor-backend', IN_PROCESS],
      ...(transfer === undefined
        ? []
        : ['--kv-transfer-config', JSON.stringify(transfer(this.url))]),
      ...flags,
    ];
    const log = openSync(this.logFile, 'a');
    this.#process = spawn(path.join(installation.venv, 'bin', 'vllm'), args, {
      stdio: ['ignore', log, log],
      // Its engine is a process of its own: both get the signal.
      detached: true,
      env: {
        ...{ PATH: process.env['PATH'], HOME: process.env['HOME'], HF_HUB_OFFLINE: '1' },
        ...{ VLLM_CPU_KVCACHE_SPACE: '1', VLLM_CPU_OMP_THREADS_BIND: 'nobind' },
        ...{ OMP_NUM_THREADS: '1', VLLM_NO_USAGE_STATS: '1', DO_NOT_TRACK: '1' },
        // For /reset_prefix_cache.
        VLLM_SERVER_DEV_MODE: '1',
        ...{ UCX_TLS: 'tcp,self,sm', UCX_NET_DEVICES: 'lo' },
        ...{ VLLM_NIXL_SIDE_CHANNEL_HOST: '127.0.0.1' },
        VLLM_NIXL_SIDE_CHANNEL_PORT: String(side),
        ...{ VLLM_HOST_IP: '127.0.0.1', VLLM_MOONCAKE_BOOTSTRAP_PORT: String(side) },
        ...env,
      },
    });
    closeSync(log);
  }

  /** @throws with the end of its log when it ends before, or does not come */
  async healthy(): Promise<void> {
    const child = this.#process;
    const hasEnded = (): boolean => child?.exitCode !== null || child.signalCode !== null;
    await eventually(async () => hasEnded() || (await fetch(`${this.url}/health`)).ok, STARTED_MS);
    if (!hasEnded()) return;
    const said = readFileSync(this.logFile, 'utf8').slice(-LOG_TAIL_CHARS);
    throw new Error(`${this.name} has ended:\n${said}`);
  }

  /** SIGKILL to the server and to what computes. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  async stop(): Promise<void> {
    const timer = setTimeout(() => this.#signal('SIGKILL'), STOPPED_MS);
    await this.#end('SIGTERM');
    clearTimeout(timer);
    // Whoever is left of its group.
    this.#signal('SIGKILL');
  }

  async resetCache(): Promise<void> {
    const { status } = await send(this.url, '/reset_prefix_cache', {});
    if (status !== 200) throw new Error(`/reset_prefix_cache of ${this.name}: ${status}`);
  }

  /** Sum of the samples of each metric, by name with labels. */
  metrics(): Promise<Map<string, number>> {
    return metricsOf(this.url);
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    this.#signal(signal);
    await ended;
  }

  #signal(signal: NodeJS.Signals): void {
    const pid = this.#process?.pid;
    if (pid === undefined) return;
    try {
      process.kill(-pid, signal);
    } catch {
      // The group is gone.
    }
  }
}
