import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface NatsServer {
  url: string;
  port: number;
  pid: number;
  /** Ends it at once, as a crash would. */
  kill(): Promise<void>;
  /** Starts it again on the same port after {@link kill}. */
  restart(): Promise<void>;
  /** Suspends it: the socket stays open, nothing is answered. */
  pause(): void;
  resume(): void;
  /** Ends it and removes its folder. */
  stop(): Promise<void>;
}

const START_TIMEOUT_MS = 20_000;
const POLL_MS = 10;
const RANDOM_PORT = -1;

interface Running {
  child: ChildProcess;
  port: number;
}

async function launch(
  program: string,
  folder: string,
  port: number,
  extra: readonly string[],
): Promise<Running> {
  const flags = ['-a', '127.0.0.1', '-p', String(port), '--ports_file_dir', folder, ...extra];
  const child = spawn(program, flags, { stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (output += text));
  const failed = new Promise<never>((_resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`nats-server ended with ${code}: ${output}`)));
  });
  failed.catch(() => undefined);

  const portsFile = path.join(folder, `${path.basename(program)}_${child.pid}.ports`);
  const deadlineMs = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    const bound = boundPort(portsFile);
    if (bound !== undefined) return { child, port: bound };
    if (Date.now() > deadlineMs) throw new Error(`nats-server did not start: ${output}`);
    await Promise.race([sleep(POLL_MS), failed]);
  }
}

/** Port in the file that nats-server writes once it listens; undefined while the file is not there or half written. */
function boundPort(portsFile: string): number | undefined {
  try {
    const { nats } = JSON.parse(readFileSync(portsFile, 'utf8')) as { nats?: string[] };
    return nats?.[0] === undefined ? undefined : Number(new URL(nats[0]).port);
  } catch {
    return undefined;
  }
}

/** A real nats-server (`BATON_NATS_SERVER`, else on PATH) on a free port of 127.0.0.1. */
export async function startNatsServer(
  extra: readonly string[] = [],
  program = process.env['BATON_NATS_SERVER'] ?? 'nats-server',
): Promise<NatsServer> {
  const folder = mkdtempSync(path.join(tmpdir(), 'baton-nats-'));
  let running = await launch(program, folder, RANDOM_PORT, extra);
  const { port } = running;

  const kill = async (): Promise<void> => {
    const { child } = running;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  };
  return {
    url: `nats://127.0.0.1:${port}`,
    port,
    get pid() {
      return running.child.pid ?? 0;
    },
    kill,
    restart: async () => {
      running = await launch(program, folder, port, extra);
    },
    pause: () => void running.child.kill('SIGSTOP'),
    resume: () => void running.child.kill('SIGCONT'),
    stop: async () => {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
