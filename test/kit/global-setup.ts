import { findNatsServer } from '@baton/provision';

/** Finds or gets nats-server once for the whole run, in the way in which `npm start` does. */
export async function setup(): Promise<void> {
  const server = await findNatsServer({
    log: (line) => console.log(line),
    allowInstall: true,
  });
  process.env['BATON_NATS_SERVER'] = server.path;
  console.log(`nats-server ${server.version} (${server.path})`);
}
