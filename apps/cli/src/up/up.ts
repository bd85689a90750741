import { rmSync } from 'node:fs';
import path from 'node:path';
import { environmentForChild, keptFromChild } from '@baton/config';
import { BatonError } from '@baton/kv';
import { cacheFolder, makeFolder } from '@baton/provision';
import { startBlock } from '../render/start-block.ts';
import { printable } from '../render/terminal-text.ts';
import { startCollector, type Collector } from '../trace/collector.ts';
import { TraceStore } from '../trace/trace-store.ts';
import { npmAncestors, watchProcesses } from './ancestors.ts';
import { countTokens, curlCommand, demoRequest } from './demo-request.ts';
import { startFleet, type RunningFleet } from './fleet-start.ts';
import { countedWorkers, planWorkers, serviceMains, type ServiceMains } from './fleet-plan.ts';
import { readableLine, readLogLine } from './log-line.ts';
import { choosePort, defaultPort, requireFreePort } from './ports.ts';
import { bytesOfPlan, RequestLines } from './request-lines.ts';
import { getJson } from '../commands/running.ts';
import { findNatsBinary, findServedModel } from './requirements.ts';
import { announceRun, cloneRoot, type RunFile } from './run-file.ts';
import { makeRunFolder } from './run-folder.ts';
import { Screen, type Output } from './screen.ts';
import { aborted, StopRequest } from './stop-request.ts';
import { deathError, Supervisor, type Death } from './supervisor.ts';
import { modelFile, recordFile, requireOtherPort, type UpOptions } from './up-options.ts';

const stopGraceMs = 3_000;
/** With npm killed, everything must be gone within five seconds of that. */
const orphanGraceMs = 2_000;
const shownLines = 8;
const traceEndpoint = 'BATON_TRACE_ENDPOINT';
const insteadOfVariables =
  'use its flags (npm start -- --help), or start the service that reads the variable by itself.';
const planTimeoutMs = 1_000;
/** Everything but the OpenAI API stays on loopback. */
const adminHost = '127.0.0.1';

export interface UpSurroundings {
  out: Output;
  env: NodeJS.ProcessEnv;
  mains: ServiceMains;
  /** How long children that were asked to stop have; they give themselves a little less than three seconds. */
  stopGraceMs: number;
}

export function realSurroundings(): UpSurroundings {
  return { out: process.stdout, env: process.env, mains: serviceMains(cloneRoot), stopGraceMs };
}

/**
 * `npm start`: everything on one machine, until it is told to stop.
 *
 * A worker's process that dies is named and the rest goes on serving; without nats-server, conductor or gateway, or
 * without any worker of a role, everything stops. Returns the exit code: 0 when the user stopped it.
 */
export async function up(options: UpOptions, surroundings: UpSurroundings): Promise<number> {
  const startedMs = performance.now();
  const model =
    options.model === undefined || options.model === 'tiny'
      ? options.model
      : modelFile(options.model);
  const { adminPort } = options;
  const record = options.record === undefined ? undefined : recordFile(options.record);
  requireOtherPort(options);
  if (adminPort !== undefined) await requireFreePort(adminHost, adminPort, '--admin-port');
  const port = await choosePort(options.host, options.port);
  const run = new Run({ ...options, model, record }, surroundings, port);
  return run.untilStopped(startedMs);
}

class Run {
  readonly #options: UpOptions;
  readonly #surroundings: UpSurroundings;
  readonly #port: number;
  readonly #screen: Screen;
  readonly #stop = new StopRequest();
  readonly #store = new TraceStore();
  readonly #supervisor = new Supervisor((death) => this.#onDeath(death));
  readonly #folder = makeRunFolder();
  readonly #failed = Promise.withResolvers<never>();
  readonly #remarks: string[] = [];
  readonly #requests = new RequestLines({
    movedBytes: async (planId) => {
      const plan = `${this.#conductorUrl}/plans/${encodeURIComponent(planId)}`;
      return bytesOfPlan(await getJson(plan, AbortSignal.timeout(planTimeoutMs)));
    },
    show: (request) => {
      this.#store.addRequest(request);
      if (!this.#stop.signal.aborted) this.#screen.request(request);
    },
  });
  #conductorUrl = '';
  #serving = false;
  readonly #lost = new Set<string>();

  constructor(options: UpOptions, surroundings: UpSurroundings, port: number) {
    this.#options = options;
    this.#surroundings = surroundings;
    this.#port = port;
    this.#screen = new Screen(surroundings.out, surroundings.env);
    this.#failed.promise.catch(() => {});
    // The reader of our output has gone, e.g. with the terminal.
    surroundings.out.on('error', () => this.#stop.request('SIGHUP'));
  }

  async untilStopped(startedMs: number): Promise<number> {
    const endListening = this.#stop.listen();
    const endWatching = watchProcesses(npmAncestors(), () => this.#stop.request('parent gone'));
    let collector: Collector | undefined;
    let runFile: RunFile | undefined;
    let exitCode = 0;
    const stopped = Promise.race([aborted(this.#stop.signal), this.#failed.promise]);
    stopped.catch(() => {});
    try {
      collector = await startCollector(this.#store);
      runFile = this.#announce(collector.url);
      this.#sayWhatStarts();
      const fleet = await Promise.race([this.#startFleet(collector.url), stopped]);
      if (fleet !== undefined) await this.#serve(fleet, runFile, { startedMs, stopped });
    } catch (error) {
      if (!this.#stop.signal.aborted) {
        exitCode = 1;
        this.#report(error);
      }
    }
    if (this.#stop.cause !== undefined) this.#screen.line('');
    this.#screen.line(this.#screen.paint.dim('Stopping …'));
    const graceMs =
      this.#stop.cause === 'parent gone' ? orphanGraceMs : this.#surroundings.stopGraceMs;
    // From here on a signal is the second one, also when a failure and not a signal began the stop.
    this.#stop.request('SIGTERM');
    await this.#supervisor.stopAll(graceMs, this.#stop.atOnce);
    runFile?.remove();
    await collector?.close();
    rmSync(this.#folder, { recursive: true, force: true });
    endWatching();
    endListening();
    return exitCode;
  }

  #announce(tracesUrl: string): RunFile {
    const { host, prefill, decode } = this.#options;
    return announceRun(
      {
        phase: 'starting',
        folder: this.#folder,
        port: this.#port,
        gatewayUrl: reachableUrl(host, this.#port),
        tracesUrl,
        workers: planWorkers(prefill, decode, this.#folder).map(({ id, role }) => ({ id, role })),
      },
      this.#surroundings.env,
    );
  }

  #sayWhatStarts(): void {
    const { env } = this.#surroundings;
    const { paint } = this.#screen;
    const ignored = keptFromChild(env);
    // Ours: the way on from our collector is that of OpenTelemetry.
    if (env[traceEndpoint]) ignored.push(traceEndpoint);
    if (ignored.length > 0) {
      const names = printable(ignored.join(', '));
      this.#screen.line(paint.yellow(`"npm start" ignores ${names}: ${insteadOfVariables}`));
    }
    const workers = countedWorkers(this.#options);
    this.#screen.line(paint.dim(`Starting nats-server, conductor, gateway, ${workers} …`));
  }

  #startFleet(tracesUrl: string): Promise<RunningFleet> {
    const { env, mains } = this.#surroundings;
    const signal = this.#stop.signal;
    const search = { options: this.#options, env, screen: this.#screen, signal };
    const natsBinary = findNatsBinary(search);
    const model = findServedModel(search).then((found) => {
      if (found.remark !== undefined) this.#remarks.push(found.remark);
      return found.model;
    });
    for (const promise of [natsBinary, model]) promise.catch(() => {});
    return startFleet({
      options: this.#options,
      port: this.#port,
      folder: this.#folder,
      env: {
        ...compileCache(env),
        ...environmentForChild(env),
        [traceEndpoint]: `${tracesUrl}/v1/traces`,
      },
      mains,
      natsBinary,
      model,
      supervisor: this.#supervisor,
      onLine: (name, line) => this.#onLine(name, line),
      signal,
    });
  }

  async #serve(
    fleet: RunningFleet,
    runFile: RunFile,
    { startedMs, stopped }: { startedMs: number; stopped: Promise<void> },
  ): Promise<void> {
    const { paint } = this.#screen;
    const { conductorUrl, natsUrl, port, model, segmentTokens } = fleet;
    const gatewayUrl = reachableUrl(this.#options.host, port);
    this.#conductorUrl = conductorUrl;
    const count = (messages: unknown) => countTokens(fleet, messages);
    const demo = await Promise.race([demoRequest(model, count), stopped]);
    if (demo === undefined) return;
    runFile.update({ phase: 'ready', port, gatewayUrl, conductorUrl, natsUrl });
    if (this.#options.port === undefined && port !== defaultPort) {
      this.#remarks.push(`Port ${defaultPort} is in use, so this one is on ${port}.`);
    }
    const lines = startBlock(
      {
        readyAfterMs: performance.now() - startedMs,
        prefill: this.#options.prefill,
        decode: this.#options.decode,
        model,
        gatewayUrl,
        conductorUrl,
        natsUrl,
        curl: curlCommand(gatewayUrl, demo.body),
        promptTokens: demo.promptTokens,
        segmentTokens,
        recordFile: this.#options.record,
        remarks: this.#remarks,
      },
      paint,
    );
    for (const line of lines) this.#screen.line(line);
    this.#serving = true;
    await stopped;
  }

  #onLine(name: string, text: string): void {
    if (this.#options.verbose) this.#screen.line(`${name}: ${printable(text)}`);
    const line = readLogLine(text);
    if (line.kind === 'request') {
      this.#requests.add(line.request);
    } else if (line.kind === 'notice' && !line.fatal && !this.#stop.signal.aborted) {
      // A fatal one is told with the end of its process.
      this.#screen.notice(name, line.severity, line.message);
    }
  }

  #onDeath(death: Death): void {
    const fault = deathError(death, !this.#serving);
    if (!this.#serving || death.importance === 'essential') return this.#failed.reject(fault);
    this.#report(fault);
    // "engine prefill-1", "agent prefill-1"
    const worker = death.name.slice(death.name.indexOf(' ') + 1);
    const role = worker.startsWith('prefill') ? 'prefill' : 'decode';
    this.#lost.add(worker);
    const lost = [...this.#lost].filter((id) => id.startsWith(role)).length;
    if (lost >= this.#options[role]) {
      this.#failed.reject(new BatonError('child_failed', `No ${role} worker is left.`));
    } else {
      this.#screen.line(`${worker} is out; the other workers go on serving.`);
    }
  }

  #report(error: unknown): void {
    const { paint } = this.#screen;
    if (!(error instanceof BatonError)) {
      return this.#screen.line(
        paint.red(error instanceof Error ? (error.stack ?? error.message) : String(error)),
      );
    }
    this.#screen.line(paint.red(printable(error.message)));
    const death = error.details['death'] as Death | undefined;
    // A process that said why it cannot start has said enough.
    if (death === undefined || (!this.#serving && death.complaint?.fatal === true)) return;
    for (const line of death.lastLines.slice(-shownLines)) {
      this.#screen.line(paint.dim(`  | ${printable(readableLine(line))}`));
    }
  }
}

/** Ten processes load the same sources: compiled once, kept for the next start. */
function compileCache(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const folder = path.join(cacheFolder({ env }), 'compiled');
  try {
    makeFolder(folder);
  } catch {
    // Only time is lost, while Node would never start with a folder that cannot be made below /proc.
    return {};
  }
  return { NODE_COMPILE_CACHE: folder };
}

/** Where a client on this machine reaches what listens on `host`. */
function reachableUrl(host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
