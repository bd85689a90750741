import { link, readFile, rm, writeFile } from 'node:fs/promises';

/** State in /proc of a process that has ended and that nobody has asked about. */
const ENDED = /^[ZXx]$/;
/** Where the start of a process is among what /proc says after its name. */
const START_FIELD = 19;

/**
 * Makes a file that says which process has a folder. The file of a process that has ended is replaced, also when its
 * number is another process' by now. Whoever has the folder takes the file away at the end.
 * @throws Error when another process has the folder.
 */
export async function lockFolder(file: string): Promise<void> {
  const birth = await birthOf(process.pid);
  await take(file, birth === undefined ? `${process.pid}` : `${process.pid} ${birth}`);
}

async function take(file: string, own: string): Promise<void> {
  if (await make(file, own)) return;
  await isLeftBehind(file);
  // One at a time: the second would take away what the first has just made.
  const turn = `${file}.turn`;
  await take(turn, own);
  try {
    if (await isLeftBehind(file)) await rm(file, { force: true });
    if (!(await make(file, own))) throw new Error('another process has just taken the folder');
  } finally {
    await rm(turn, { force: true });
  }
}

/** The file is there with all that it says, or it is not. False when there was one. */
async function make(file: string, content: string): Promise<boolean> {
  const draft = `${file}.${process.pid}`;
  await rm(draft, { force: true });
  await writeFile(draft, content, { flag: 'wx', mode: 0o600 });
  try {
    await link(draft, file);
    return true;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    return false;
  } finally {
    await rm(draft, { force: true });
  }
}

/**
 * False when there is no file any more.
 * @throws Error when its process is there.
 */
async function isLeftBehind(file: string): Promise<boolean> {
  let content: string;
  try {
    content = await readFile(file, 'utf8');
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    return false;
  }
  const [, digits = '', birth = ''] = /^(\d+) ?(.*)$/.exec(content) ?? [];
  const pid = Number(digits);
  if (await isAlive(pid, birth)) throw new Error(`process ${pid} uses the folder`);
  return true;
}

/** A container's first process finds its own number in the lock of the one before. */
async function isAlive(pid: number, birth: string): Promise<boolean> {
  if (pid < 1 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (codeOf(error) !== 'EPERM') return false;
  }
  const found = await birthOf(pid);
  // Not every system tells, and not of every process: then its number has to do.
  return found === undefined || found === birth;
}

/** When a process has begun, so that no other has the same; undefined where that cannot be known. */
async function birthOf(pid: number): Promise<string | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
    // The name may hold anything, spaces and brackets too.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return ENDED.test(fields[0] ?? '') ? 'ended' : `${fields[START_FIELD]} ${boot.trim()}`;
  } catch {
    return undefined;
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
