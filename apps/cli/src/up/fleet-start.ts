import { setTimeout as sleep } from 'node:timers/promises';
import { BatonError } from '@baton/kv';
import { getJson } from '../commands/running.ts';
import { startChild, type ChildService, type Endpoints } from './child-service.ts';
import {
  agentArgs,
  conductorArgs,
  engineArgs,
  gatewayArgs,
  planWorkers,
  type PlannedWorker,
  type ServedModel,
  type ServiceKind,
  type ServiceMains,
} from './fleet-plan.ts';
import { startNats } from './nats-child.ts';
import { choosePort, isPortFree } from './ports.ts';
import { readyOrDead, type Supervisor } from './supervisor.ts';
import type { UpOptions } from './up-options.ts';

const pollIntervalMs = 50;
const portTries = 10;
const theFleet = 'the fleet';

export interface FleetStart {
  options: UpOptions;
  /** Public port: the given one, or the first choice. */
  port: number;
  /** Folder for sockets and such of this run. */
  folder: string;
  env: NodeJS.ProcessEnv;
  mains: ServiceMains;
  natsBinary: Promise<string>;
  model: Promise<ServedModel>;
  supervisor: Supervisor;
  onLine: (name: string, line: string) => void;
  signal: AbortSignal;
}

export interface RunningFleet {
  natsUrl: string;
  conductorUrl: string;
  port: number;
  /** Base URL of one engine. */
  engineUrl: string;
  /** Name of the model as clients give it. */
  model: string;
  segmentTokens: number;
}

/**
 * Starts everything as soon as what it needs is there, and waits until the gateway can serve with all workers.
 *
 * Throws when a child ends, when the time is over (naming who is not ready), or when the signal is aborted.
 */
export async function startFleet(start: FleetStart): Promise<RunningFleet> {
  const waiting = new Map<string, string>();
  const work = new FleetStarter(start, waiting).run();
  const over = new AbortController();
  const outOfTime = sleep(start.options.readyTimeoutMs, undefined, { signal: over.signal }).then(
    () => {
      const names = [...waiting].map(([name, why]) => (why === '' ? name : `${name} (${why})`));
      throw new BatonError(
        'child_failed',
        `Not ready after ${start.options.readyTimeoutMs / 1000} s: ${names.join(', ')}.`,
        { details: { waiting: names } },
      );
    },
    () => new Promise<never>(() => {}),
  );
  try {
    return await Promise.race([work, outOfTime]);
  } finally {
    over.abort();
    // When another arm won, its failure has been or will be told; this one only must not go unhandled.
    work.catch(() => {});
  }
}

class FleetStarter {
  readonly #start: FleetStart;
  /** What is not there yet, and why not where that is known. */
  readonly #waiting: Map<string, string>;

  constructor(start: FleetStart, waiting: Map<string, string>) {
    this.#start = start;
    this.#waiting = waiting;
  }

  async run(): Promise<RunningFleet> {
    const { options, folder, env, supervisor, onLine, signal } = this.#start;
    const binary = await this.#awaited('finding nats-server', this.#start.natsBinary);
    signal.throwIfAborted();
    const nats = await startNats({
      binary,
      folder,
      env,
      onLine: (line) => onLine('nats-server', line),
    });
    const { url: natsUrl = '' } = await this.#ready(supervisor.add(nats, 'essential'));

    const workers = planWorkers(options.prefill, options.decode, folder);
    const conductor = this.#child('conductor', 'conductor', conductorArgs(natsUrl, options));
    const agents = workers.map((worker) => {
      const args = agentArgs(worker, natsUrl, options.dramBytes);
      return this.#child('agent', `agent ${worker.id}`, args);
    });
    const engines = this.#startEngines(workers);
    const gateway = conductor.then((endpoints) => this.#startGateway(endpoint(endpoints, 'grpc')));
    const [conductorEnds, gatewayStarted, engineEnds] = await Promise.all([
      conductor,
      gateway,
      engines,
      ...agents,
    ]);
    const conductorUrl = endpoint(conductorEnds, 'admin');
    const gatewayUrl = endpoint(gatewayStarted.endpoints, 'http');
    const pool = await this.#awaited(theFleet, this.#wholeFleet(conductorUrl, gatewayUrl, workers));
    const engineUrl = endpoint(engineEnds[0] ?? {}, 'http');
    return { natsUrl, conductorUrl, port: gatewayStarted.port, engineUrl, ...pool };
  }

  async #startEngines(workers: readonly PlannedWorker[]): Promise<Endpoints[]> {
    const { options, model } = this.#start;
    const settings = {
      model: await this.#awaited('finding the model', model),
      engines: workers.length,
      reproducible: options.reproducible,
    };
    return Promise.all(
      workers.map((worker) =>
        this.#child('engine', `engine ${worker.id}`, engineArgs(worker, settings)),
      ),
    );
  }

  /** Where nobody gave a port, another process may take it between the look and the use: then the next is tried. */
  async #startGateway(conductor: string): Promise<{ endpoints: Endpoints; port: number }> {
    const { options, supervisor } = this.#start;
    const { host, record } = options;
    let { port } = this.#start;
    for (let tries = 1; ; tries++) {
      const child = this.#spawn(
        'gateway',
        'gateway',
        gatewayArgs({ conductor, host, port, record }),
      );
      supervisor.add(child, 'trial');
      const endpoints = await this.#awaited('gateway', child.ready);
      const mayMove = options.port === undefined && tries < portTries;
      if (endpoints !== undefined || !mayMove || (await isPortFree(host, port))) {
        supervisor.promote(child, 'essential');
        return { endpoints: await readyOrDead(child), port };
      }
      port = await choosePort(host, undefined, port + 1);
    }
  }

  #child(kind: ServiceKind, name: string, args: readonly string[]): Promise<Endpoints> {
    const importance = kind === 'engine' || kind === 'agent' ? 'worker' : 'essential';
    return this.#ready(this.#start.supervisor.add(this.#spawn(kind, name, args), importance));
  }

  #spawn(kind: ServiceKind, name: string, args: readonly string[]): ChildService {
    const { mains, env, onLine, signal } = this.#start;
    signal.throwIfAborted();
    return startChild({ name, main: mains[kind], args, env, onLine: (line) => onLine(name, line) });
  }

  #ready(child: ChildService): Promise<Endpoints> {
    return this.#awaited(child.name, readyOrDead(child));
  }

  async #awaited<T>(name: string, work: Promise<T>): Promise<T> {
    this.#waiting.set(name, '');
    const result = await work;
    this.#waiting.delete(name);
    return result;
  }

  /**
   * All workers have joined and are ready, and the gateway has heard of them. Who does not answer is asked again: when
   * it has died, the supervisor is about to tell why.
   */
  async #wholeFleet(
    conductorUrl: string,
    gatewayUrl: string,
    planned: readonly PlannedWorker[],
  ): Promise<{ model: string; segmentTokens: number }> {
    const { signal } = this.#start;
    for (;;) {
      signal.throwIfAborted();
      try {
        const workers = await knownWorkers(conductorUrl, signal);
        const missing = planned.flatMap(({ id }) => whyNotReady(id, workers) ?? []);
        this.#waiting.set(theFleet, missing.join('; '));
        const model = missing.length > 0 ? undefined : await firstModel(gatewayUrl, signal);
        if (model !== undefined) return { model, segmentTokens: workers[0]?.segmentTokens ?? 64 };
      } catch (error) {
        this.#waiting.set(theFleet, error instanceof Error ? error.message : String(error));
      }
      await sleep(pollIntervalMs);
    }
  }
}

function endpoint(endpoints: Endpoints, name: string): string {
  const value = endpoints[name];
  if (value !== undefined) return value;
  throw new BatonError('protocol_violation', `A process announced no endpoint "${name}".`);
}

interface KnownWorker {
  workerId?: string;
  state?: string;
  reason?: string;
  segmentTokens?: number;
}

async function knownWorkers(conductorUrl: string, signal: AbortSignal): Promise<KnownWorker[]> {
  const answer = await getJson(`${conductorUrl}/workers`, signal);
  return (answer as { workers?: KnownWorker[] }).workers ?? [];
}

function whyNotReady(id: string, workers: readonly KnownWorker[]): string | undefined {
  const worker = workers.find(({ workerId }) => workerId === id);
  if (worker === undefined) return `${id} is not heard of`;
  const { state, reason } = worker;
  return state === 'ready' ? undefined : `${id} is ${state}${reason ? `: ${reason}` : ''}`;
}

async function firstModel(gatewayUrl: string, signal: AbortSignal): Promise<string | undefined> {
  const answer = (await getJson(`${gatewayUrl}/v1/models`, signal)) as { data?: { id?: string }[] };
  return answer.data?.[0]?.id;
}
