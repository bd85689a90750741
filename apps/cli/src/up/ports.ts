import { createServer } from 'node:net';
import { BatonError } from '@baton/kv';

const triedPorts = 100;
export const maxPort = 65_535;

/** Port that `npm start` takes when nobody says otherwise. */
export const defaultPort = 8080;

export async function isPortFree(host: string, port: number): Promise<boolean> {
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host, port, exclusive: true }, resolve);
    });
    await new Promise((resolve) => server.close(resolve));
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE' || code === 'EACCES') return false;
    throw new BatonError('config_invalid', `--host ${host} cannot be listened on: ${code}.`, {
      cause: error,
    });
  }
}

/** @throws BatonError port_in_use, which names the flag that gave the port */
export async function requireFreePort(host: string, port: number, flag: string): Promise<void> {
  if (await isPortFree(host, port)) return;
  throw new BatonError(
    'port_in_use',
    `Port ${port} on ${host} is in use (or needs rights that you do not have): choose another with ${flag}, or leave ${flag} out.`,
  );
}

/** The given port, or the first free one from 8080 on. Throws `port_in_use` when there is none to give. */
export async function choosePort(
  host: string,
  given: number | undefined,
  first = defaultPort,
): Promise<number> {
  if (given !== undefined) {
    await requireFreePort(host, given, '--port');
    return given;
  }
  const last = Math.min(first + triedPorts - 1, maxPort);
  for (let port = first; port <= last; port++) {
    if (await isPortFree(host, port)) return port;
  }
  throw new BatonError('port_in_use', `Ports ${first} to ${last} on ${host} are all in use.`);
}

/** What listening failed with; `port_in_use` when another process was faster after the port had been found free. */
export function listenFault(error: unknown): unknown {
  const { code, address, port } = error as NodeJS.ErrnoException & {
    address?: string;
    port?: number;
  };
  if (code !== 'EADDRINUSE') return error;
  const message = `Port ${port} on ${address} was taken by another process meanwhile: start again, or choose another.`;
  return new BatonError('port_in_use', message, { cause: error });
}
