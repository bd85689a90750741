import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { spawnGuarded, type GuardedProcess } from '@baton/provision';
import { eventually } from '@baton/test-kit';
import { onTestFinished } from 'vitest';
import { isStillThere } from '../up/ancestors.ts';
import { liveRuns, runsFolder, type RunRecord } from '../up/run-file.ts';
import type { UpOptions } from '../up/up-options.ts';

const patienceMs = 45_000;
/** After whatever ends `up`, its children are gone within this time. */
const goneWithinMs = 5_000;
const root = path.resolve(import.meta.dirname, '../../../..');

export interface UpProcessOptions {
  options?: Partial<UpOptions>;
  faults?: Record<string, string>;
  /** Started by `npm start` with this script; %up stands for the command itself. */
  npmScript?: string;
  home?: string;
  stateDir?: string;
  env?: NodeJS.ProcessEnv;
  stopGraceMs?: number;
  /** Flags of the real `baton up` with the real services, instead of stand-ins. */
  real?: readonly string[];
}

/** `up` as a process of its own, with stand-ins as its children and a home of its own. */
export class UpProcess {
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  /** The guard that ends it with the test: what it writes and its exit status are those of the process behind it. */
  readonly process: ChildProcess;
  readonly #guarded: GuardedProcess;
  output = '';

  constructor({
    options = {},
    faults = {},
    npmScript,
    home,
    real,
    stateDir,
    env = {},
    stopGraceMs,
  }: UpProcessOptions = {}) {
    this.home = home ?? mkdtempSync(path.join(tmpdir(), 'up-test-'));
    const { prefill = 1, decode = 1 } = options;
    const ids = (role: string, n: number): string[] =>
      Array.from({ length: n }, (_, i) => `${role}-${i + 1}`);
    this.env = {
      PATH: `${path.join(root, 'node_modules/.bin')}:${process.env['PATH']}`,
      HOME: this.home,
      TMPDIR: this.home,
      XDG_CACHE_HOME: path.join(this.home, 'cache'),
      ...inherited('BATON_NATS_SERVER', 'NODE_COMPILE_CACHE'),
      ...(stateDir === undefined ? {} : { BATON_STATE_DIR: stateDir }),
      ...(stopGraceMs === undefined ? {} : { STAND_IN_GRACE_MS: String(stopGraceMs) }),
      STAND_IN_FAULTS: JSON.stringify(faults),
      STAND_IN_PIDS: path.join(this.home, 'pids'),
      STAND_IN_WORKERS: [...ids('prefill', prefill), ...ids('decode', decode)].join(','),
      ...env,
    };
    const main = path.join(import.meta.dirname, '../main.ts');
    const driver = path.join(import.meta.dirname, 'stand-in-up.ts');
    const json = JSON.stringify(options);
    const start = (command: string, args: readonly string[], cwd?: string): GuardedProcess =>
      spawnGuarded(command, args, { env: this.env, ...(cwd === undefined ? {} : { cwd }) });
    if (real !== undefined) {
      this.#guarded = start(process.execPath, [main, 'up', ...real]);
    } else if (npmScript === undefined) {
      this.#guarded = start(process.execPath, [driver, json]);
    } else {
      const folder = path.join(this.home, 'package');
      mkdirSync(folder, { recursive: true });
      const command = `node ${driver} '${json}'`;
      const scripts = { start: npmScript.replace('%up', command) };
      writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ name: 'x', scripts }));
      this.#guarded = start('npm', ['start', '--silent'], folder);
    }
    this.process = this.#guarded.guard;
    for (const stream of [this.process.stdout, this.process.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => (this.output += text));
    }
  }

  /** Of `up`, or of the npm that started it. */
  get pid(): number {
    return this.#guarded.commandPid() ?? 0;
  }

  signal(name: NodeJS.Signals): void {
    if (isStillThere({ pid: this.pid, startedAt: undefined })) process.kill(this.pid, name);
  }

  /** Waits until the output has this text. */
  async says(text: string | RegExp, withinMs = patienceMs): Promise<void> {
    const shown = (): boolean =>
      typeof text === 'string' ? this.output.includes(text) : text.test(this.output);
    await eventually(() => {
      if (!shown()) throw new Error(`no ${String(text)} in:\n${this.output}`);
    }, withinMs);
  }

  async exits(): Promise<number | null> {
    const { exitCode, signalCode } = this.process;
    if (exitCode !== null || signalCode !== null) return exitCode;
    const [code] = (await once(this.process, 'close')) as [number | null];
    return code;
  }

  /** Of this home, the newest first. */
  runs(): RunRecord[] {
    return liveRuns(runsFolder(this.env));
  }

  run(): RunRecord {
    const [run] = this.runs();
    if (run === undefined) throw new Error('no run is announced');
    return run;
  }

  pidOf(name: string): number {
    return Number(readFileSync(path.join(this.home, 'pids', name), 'utf8'));
  }

  /** Everything that was started: the stand-ins, nats-server, `up` itself. */
  pids(): number[] {
    const names = readdirSync(path.join(this.home, 'pids'));
    const { folder, pid } = this.run();
    const ports = readdirSync(path.join(folder, 'nats'));
    const nats = ports.map((name) => Number(/_(\d+)\.ports/.exec(name)?.[1]));
    return [pid, ...nats, ...names.map((name) => this.pidOf(name))];
  }

  /** For those that never came far enough to be announced. */
  standInPids(): number[] {
    return readdirSync(path.join(this.home, 'pids')).map((name) => this.pidOf(name));
  }

  async remove(): Promise<void> {
    if (this.process.exitCode === null && this.process.signalCode === null) {
      this.#guarded.kill();
      await once(this.process, 'close');
    }
    // They may still write into the folder, e.g. what they compiled.
    if (existsSync(path.join(this.home, 'pids'))) await allGone(this.standInPids());
    rmSync(this.home, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** `up` until the end of the test. */
export function start(options: UpProcessOptions = {}): UpProcess {
  const up = new UpProcess(options);
  onTestFinished(() => up.remove());
  return up;
}

export async function ready(options: UpProcessOptions = {}): Promise<UpProcess> {
  const up = start(options);
  await up.says('What to try next');
  return up;
}

/** Those of our own variables that are set. */
function inherited(...names: string[]): NodeJS.ProcessEnv {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

export async function allGone(pids: readonly number[]): Promise<void> {
  await eventually(() => {
    const left = pids.filter((pid) => isStillThere({ pid, startedAt: undefined }));
    if (left.length > 0) throw new Error(`still there: ${left.join(', ')}`);
  }, goneWithinMs);
}
