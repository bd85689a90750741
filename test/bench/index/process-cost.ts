import { readFileSync } from 'node:fs';

/** Of /proc/…/stat on Linux. */
const TICK_MS = 10;
/** Fields of /proc/…/stat behind the command's closing bracket. */
const USER_TIME = 11;
const SYSTEM_TIME = 12;

/** CPU that a process and its threads have used, ms. Linux only. */
export function cpuMsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[USER_TIME]) + Number(fields[SYSTEM_TIME])) * TICK_MS;
}

/** Memory that a process has, bytes. Linux only. */
export function residentBytesOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}
