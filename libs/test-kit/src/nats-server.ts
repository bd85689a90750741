import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { spawnGuarded, type GuardedProcess } from '@baton/provision';
import { eventually } from './eventually.ts';

export interface NatsServer {
  url: string;
  port: number;
  pid: number;
  /** Its own, also for what else a test leaves lying about: it goes with the server, or soon after a test that is killed. */
  folder: string;
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
const RANDOM_PORT = -1;

interface Running {
  process: GuardedProcess;
  pid: number;
  port: number;
}

/** Behind a guard, so that it ends with us and leaves no folder, even when we are killed by SIGKILL. */
async function launch(
  program: string,
  folder: string,
  port: number,
  extra: readonly string[],
): Promise<Running> {
  const flags = ['-a', '127.0.0.1', '-p', String(port), '--ports_file_dir', folder, ...extra];
  const process = spawnGuarded(program, flags, { leftFolder: folder });
  let output = '';
  for (const stream of [process.guard.stdout, process.guard.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  const failed = once(process.guard, 'close').then(([code]) => {
    throw new Error(`nats-server ended with ${code}: ${output}`);
  });
  const bound = eventually(() => {
    const pid = process.commandPid() ?? 0;
    const port = boundPort(path.join(folder, `${path.basename(program)}_${pid}.ports`));
    if (port === undefined) throw new Error(`nats-server did not start: ${output}`);
    return { process, pid, port };
  }, START_TIMEOUT_MS);
  return await Promise.race([bound, failed]);
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
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  let running = await launch(program, folder, RANDOM_PORT, extra).catch((error: unknown) => {
    remove();
    throw error;
  });
  const { port } = running;

  const kill = async (): Promise<void> => {
    const { guard } = running.process;
    if (guard.exitCode !== null || guard.signalCode !== null) return;
    const exited = once(guard, 'exit');
    try {
      process.kill(running.pid, 'SIGKILL');
    } catch (error) {
      // Killed before, by a call that is still under way: its guard is about to follow.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
    await exited;
  };
  return {
    url: `nats://127.0.0.1:${port}`,
    port,
    folder,
    get pid() {
      return running.pid;
    },
    kill,
    restart: async () => {
      running = await launch(program, folder, port, extra);
    },
    pause: () => void process.kill(running.pid, 'SIGSTOP'),
    resume: () => void process.kill(running.pid, 'SIGCONT'),
    stop: async () => {
      await kill();
      remove();
    },
  };
}
