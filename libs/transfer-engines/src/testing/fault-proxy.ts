import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

export interface Fault {
  /** `flip` changes one bit of the byte, `cut` closes before it, `stall` passes nothing from it on. */
  kind: 'flip' | 'cut' | 'stall';
  /** `down` is from the target to whoever connects. */
  direction: 'down' | 'up';
  /** Which byte of that direction, from 0. */
  at: number;
}

export interface FaultProxy {
  /** host:port to connect to instead of the target. */
  readonly address: string;
  /** Connections accepted so far. */
  readonly connections: number;
  /** Bytes passed on so far, all connections together. */
  readonly bytesDown: number;
  /** Asked for each new connection, counted from 0. */
  faultFor: (connection: number) => Fault | undefined;
  /** Every chunk waits this long, ms. */
  delayMs: number;
  /** Cuts what is open, at once. */
  cutAll(): void;
  close(): Promise<void>;
}

/** Stands between two peers of a byte stream and spoils it at a chosen byte. */
export async function openFaultProxy(target: { host: string; port: number }): Promise<FaultProxy> {
  const open = new Set<Socket>();
  const server = createServer({ noDelay: true }, (client) => {
    const index = proxy.connections;
    proxy.connections += 1;
    const upstream = connect({ ...target, noDelay: true });
    const fault = proxy.faultFor(index);
    const end = (): void => {
      client.destroy();
      upstream.destroy();
      open.delete(client);
    };
    open.add(client);
    for (const socket of [client, upstream]) {
      socket.on('error', end);
      socket.on('close', end);
    }
    const down = passer(upstream, client, fault?.direction === 'down' ? fault : undefined, end);
    const up = passer(client, upstream, fault?.direction === 'up' ? fault : undefined, end);
    upstream.on('data', (chunk: Buffer) => void down(chunk));
    client.on('data', (chunk: Buffer) => void up(chunk));
  });

  function passer(from: Socket, to: Socket, fault: Fault | undefined, end: () => void) {
    let seen = 0;
    let isStalled = false;
    let queue = Promise.resolve();
    return (chunk: Buffer): void => {
      const at = fault ? fault.at - seen : -1;
      seen += chunk.length;
      if (isStalled) return;
      let passed = chunk;
      if (fault && at >= 0 && at < chunk.length) {
        if (fault.kind === 'flip') chunk[at] = (chunk[at] ?? 0) ^ 0x10;
        else passed = chunk.subarray(0, at);
        isStalled = fault.kind === 'stall';
      }
      const isCut = fault?.kind === 'cut' && passed.length < chunk.length;
      const send = (): void => {
        if (to === from || to.destroyed) return;
        if (open.has(to)) proxy.bytesDown += passed.length;
        if (isCut) to.write(passed, end);
        else if (passed.length > 0) to.write(passed);
      };
      if (proxy.delayMs === 0) return send();
      queue = queue.then(() => new Promise((resolve) => setTimeout(resolve, proxy.delayMs)));
      void queue.then(send);
    };
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy: FaultProxy & { connections: number; bytesDown: number } = {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: 0,
    bytesDown: 0,
    delayMs: 0,
    faultFor: () => undefined,
    cutAll() {
      for (const socket of open) socket.destroy();
    },
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
  return proxy;
}
