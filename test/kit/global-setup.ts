import path from 'node:path';
import { cacheFolder, findNatsServer } from '@baton/provision';

/** Finds or gets nats-server once for the whole run, and keeps what was compiled, both as `npm start` does. */
export async function setup(): Promise<void> {
  const server = await findNatsServer({
    log: (line) => console.log(line),
    allowInstall: true,
  });
  process.env['BATON_NATS_SERVER'] = server.path;
  // Hundreds of processes load the same sources: half of what they cost is compiling.
  process.env['NODE_COMPILE_CACHE'] ??= path.join(cacheFolder(), 'compiled');
  console.log(`nats-server ${server.version} (${server.path})`);
}
