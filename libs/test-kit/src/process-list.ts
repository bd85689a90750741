import { readdirSync, readFileSync } from 'node:fs';

/** Command lines of all processes by id, from /proc: a clean machine may have no `ps`. */
export function processList(): Map<number, string> {
  const found = new Map<number, string>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const args = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0').join(' ').trim();
      found.set(Number(name), args);
    } catch {
      // It ended between the look and the reading.
    }
  }
  return found;
}
