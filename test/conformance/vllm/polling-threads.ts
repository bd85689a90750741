import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const LOOK_MS = 500;
/** Clock ticks are hundredths of a second: of the time looked at, more than two thirds. */
const MANY_TICKS = (LOOK_MS / 10) * 0.67;
/** Of /proc/…/stat after the command's name, which may have blanks: time in user and in system mode. */
const [STATE_TO_UTIME, STATE_TO_STIME] = [11, 12];
const STATE_TO_PROCESS_GROUP = 2;

/**
 * NIXL has a thread that asks for news without ever sleeping. On a machine with as many such threads as processors it takes
 * them from what computes and from Baton. It gets what they leave here (SCHED_IDLE); nothing else of the engine changes.
 *
 * @param group process group of the engine, which has nothing to do now
 */
export async function calmPollingThreads(group: number): Promise<void> {
  const before = ticksOfThreads(group);
  await sleep(LOOK_MS);
  const after = ticksOfThreads(group);
  const polling = [...after].filter(
    ([thread, ticks]) => ticks - (before.get(thread) ?? ticks) > MANY_TICKS,
  );
  for (const [thread] of polling) await run('chrt', ['--idle', '--pid', '0', String(thread)]);
}

/** Processor time of every thread of a group, without the first of each process, in ticks. */
function ticksOfThreads(group: number): Map<number, number> {
  const found = new Map<number, number>();
  for (const pid of numbersIn('/proc')) {
    if (statOf(`/proc/${pid}/stat`)?.[STATE_TO_PROCESS_GROUP] !== group) continue;
    for (const thread of numbersIn(`/proc/${pid}/task`)) {
      const stat = statOf(`/proc/${pid}/task/${thread}/stat`);
      if (stat === undefined || thread === pid) continue;
      found.set(thread, (stat[STATE_TO_UTIME] ?? 0) + (stat[STATE_TO_STIME] ?? 0));
    }
  }
  return found;
}

function numbersIn(folder: string): number[] {
  try {
    return readdirSync(folder).map(Number).filter(Number.isInteger);
  } catch {
    // It has ended meanwhile.
    return [];
  }
}

function statOf(file: string): number[] | undefined {
  try {
    const text = readFileSync(file, 'utf8');
    return text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
  } catch {
    return undefined;
  }
}
