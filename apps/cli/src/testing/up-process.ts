import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
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
import { eventually } from '@baton/test-kit';
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
  readonly process: ChildProcess;
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
    const { prefill = 1, decode = 2 } = options;
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
    const started: SpawnOptions = {
      env: this.env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    };
    if (real !== undefined) {
      this.process = spawn(process.execPath, [main, 'up', ...real], started);
    } else if (npmScript === undefined) {
      this.process = spawn(process.execPath, [driver, json], started);
    } else {
      const folder = path.join(this.home, 'package');
      mkdirSync(folder, { recursive: true });
      const command = `node ${driver} '${json}'`;
      const scripts = { start: npmScript.replace('%up', command) };
      writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ name: 'x', scripts }));
      this.process = spawn('npm', ['start', '--silent'], { ...started, cwd: folder });
    }
    for (const stream of [this.process.stdout, this.process.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => (this.output += text));
    }
  }

  /** Waits until the output has this text. */
  async says(text: string | RegExp): Promise<void> {
    const shown = (): boolean =>
      typeof text === 'string' ? this.output.includes(text) : text.test(this.output);
    await eventually(() => {
      if (!shown()) throw new Error(`no ${String(text)} in:\n${this.output}`);
    }, patienceMs);
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
      this.process.kill('SIGKILL');
      await once(this.process, 'close');
    }
    // They may still write into the folder, e.g. what they compiled.
    if (existsSync(path.join(this.home, 'pids'))) await allGone(this.standInPids());
    rmSync(this.home, { recursive: true, force: true, maxRetries: 5 });
  }
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
