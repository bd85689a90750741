import { readdir, readFile, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawnGuarded } from '@baton/provision';
import { superviseChild, type ChildService, type Endpoints } from './child-service.ts';

const pollIntervalMs = 10;

/**
 * Starts nats-server on a free loopback port, without JetStream, behind a guard that ends it when we are gone.
 *
 * Ready with `{ url }`: the server writes the port that it got into a file.
 */
export async function startNats(options: {
  binary: string;
  folder: string;
  env: NodeJS.ProcessEnv;
  onLine: (line: string) => void;
}): Promise<ChildService> {
  const portsFolder = path.join(options.folder, 'nats');
  await mkdir(portsFolder, { recursive: true });
  const args = ['--addr', '127.0.0.1', '--port', '-1', '--ports_file_dir', portsFolder];
  const { guard, kill } = spawnGuarded(options.binary, args, {
    env: options.env,
    leftFolder: options.folder,
  });
  let over = false;
  guard.on('exit', () => (over = true));
  guard.on('error', () => (over = true));
  const announced = findUrl(portsFolder, () => over);
  return superviseChild('nats-server', guard, announced, options.onLine, kill);
}

async function findUrl(folder: string, isOver: () => boolean): Promise<Endpoints | undefined> {
  while (!isOver()) {
    const url = await readUrl(folder);
    if (url !== undefined) return { url };
    await sleep(pollIntervalMs);
  }
  return undefined;
}

async function readUrl(folder: string): Promise<string | undefined> {
  const names = await readdir(folder).catch(() => []);
  const file = names.find((name) => name.endsWith('.ports'));
  if (file === undefined) return undefined;
  try {
    const ports = JSON.parse(await readFile(path.join(folder, file), 'utf8')) as {
      nats?: string[];
    };
    return ports.nats?.[0];
  } catch {
    // Read while it was being written.
    return undefined;
  }
}
