import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

/** Lines of output kept for the message when a service does not start. */
const KEPT_LINES = 40;
const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 5_000;

/** One of Baton's own services as a real process. */
export interface ServiceProcess {
  readonly name: string;
  readonly pid: number;
  readonly endpoints: Readonly<Record<string, string>>;
  /** All lines of output so far, the last ones when there were many. */
  output(): string[];
  hasExited(): boolean;
  /** Null while it runs, and when a signal ended it. */
  exitCode(): number | null;
  /** As a crash would. */
  kill(): Promise<void>;
  /** Suspends it: its sockets stay open, nothing is answered. */
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
}

export type ServiceKind = 'agent' | 'conductor' | 'engine' | 'engine-sim' | 'gateway';

/** Starts a service and waits until it says that it is ready. Throws with its output when it does not. */
export async function startService(
  kind: ServiceKind,
  name: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<ServiceProcess> {
  const main = path.join(import.meta.dirname, '../../../apps', kind, 'src/main.ts');
  const child = spawn(process.execPath, [main, ...args], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...process.env, ...env },
  });
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    let rest = '';
    stream?.setEncoding('utf8').on('data', (text: string) => {
      const parts = (rest + text).split('\n');
      rest = parts.pop() ?? '';
      lines.push(...parts);
      lines.splice(0, Math.max(0, lines.length - KEPT_LINES));
    });
  }
  const exited = once(child, 'exit');
  const endpoints = await new Promise<Record<string, string>>((resolve, reject) => {
    const fail = (why: string): void => {
      child.kill('SIGKILL');
      reject(new Error(`${name} ${why}:\n${lines.join('\n')}`));
    };
    const timer = setTimeout(() => fail('did not get ready in time'), START_TIMEOUT_MS);
    child.on('message', (message: { type?: string; endpoints?: Record<string, string> }) => {
      if (message.type !== 'ready') return;
      clearTimeout(timer);
      resolve(message.endpoints ?? {});
    });
    child.once('exit', (code) => {
      clearTimeout(timer);
      fail(`ended with ${code}`);
    });
    child.once('error', reject);
  });
  const hasExited = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (hasExited()) return;
    child.kill(signal);
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await exited;
    clearTimeout(timer);
  };
  return {
    name,
    pid: child.pid ?? 0,
    endpoints,
    output: () => [...lines],
    hasExited,
    exitCode: () => child.exitCode,
    kill: () => end('SIGKILL'),
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    stop: () => end('SIGTERM'),
  };
}
