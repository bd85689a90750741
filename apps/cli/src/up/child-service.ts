import { spawn, type ChildProcess } from 'node:child_process';
import { readLines } from './line-reader.ts';

const keptLines = 12;
/** After its end, until the last of its output must have come. */
const lastOutputMs = 500;

export type Endpoints = Readonly<Record<string, string>>;

export interface ExitStatus {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** One process under `up`. */
export interface ChildService {
  readonly name: string;
  /** Settles with what the child announced, or with undefined when it ended before. */
  readonly ready: Promise<Endpoints | undefined>;
  readonly exited: Promise<ExitStatus>;
  hasExited(): boolean;
  /** The latest lines of its output, oldest first. */
  lastLines(): string[];
  terminate(): void;
  kill(): void;
}

export interface StartChildOptions {
  name: string;
  main: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  onLine: (line: string) => void;
}

/**
 * Starts one of Baton's own services in a process group of its own, so that the terminal's Ctrl-C reaches only us.
 *
 * The IPC channel is the child's life line: it exits when the channel closes, even when we are killed.
 */
export function startChild({ name, main, args, env, onLine }: StartChildOptions): ChildService {
  const child = spawn(process.execPath, [main, ...args], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    detached: true,
    windowsHide: true,
    env,
  });
  const announced = new Promise<Endpoints>((resolve) => {
    child.on('message', (message) => {
      if (isReady(message)) resolve(message.endpoints);
    });
  });
  return superviseChild(name, child, announced, onLine, () => child.kill('SIGKILL'));
}

/** What `startChild` does around the process itself; also for a program behind a guard. */
export function superviseChild(
  name: string,
  child: ChildProcess,
  announced: Promise<Endpoints | undefined>,
  onLine: (line: string) => void,
  kill: () => void,
): ChildService {
  const lines: string[] = [];
  const keep = (line: string): void => {
    lines.push(line);
    if (lines.length > keptLines) lines.shift();
    onLine(line);
  };
  if (child.stdout !== null) readLines(child.stdout, keep);
  if (child.stderr !== null) readLines(child.stderr, keep);
  let status: ExitStatus | undefined;
  // "close" comes after the last line of output, "exit" may come before it; a grandchild could hold the output open.
  const exited = new Promise<ExitStatus>((resolve) => {
    child.on('error', (error) => {
      keep(error.message);
      if (child.pid === undefined) resolve((status = { code: null, signal: null }));
    });
    child.on('exit', (code, signal) => {
      const ended: ExitStatus = (status = { code, signal });
      const timer = setTimeout(() => resolve(ended), lastOutputMs);
      child.on('close', () => {
        clearTimeout(timer);
        resolve(ended);
      });
    });
  });
  return {
    name,
    ready: Promise.race([announced, exited.then(() => undefined)]),
    exited,
    hasExited: () => status !== undefined,
    lastLines: () => [...lines],
    terminate: () => void child.kill('SIGTERM'),
    kill,
  };
}

function isReady(message: unknown): message is { type: 'ready'; endpoints: Endpoints } {
  return (
    typeof message === 'object' &&
    message !== null &&
    'type' in message &&
    message.type === 'ready' &&
    'endpoints' in message &&
    typeof message.endpoints === 'object' &&
    message.endpoints !== null
  );
}
