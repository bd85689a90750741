import { once } from 'node:events';
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below those that the system gives out: vLLM takes more of them, at any time, than it is told of. */
const [FIRST, LAST] = [18_000, 30_000];

/** Data-parallel ranks count up from a port: so many behind each are free as well. */
const APART = 4;

/** So many ports that are free now and that the system gives to nobody. */
export async function enginePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = APART * randomInt(FIRST / APART, LAST / APART);
    const own = Array.from({ length: APART }, (_, i) => port + i);
    const free = await Promise.all(own.map(isFree));
    if (free.every(Boolean)) ports.add(port);
  }
  return [...ports];
}

/** On all interfaces, as an engine listens. */
async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port);
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
