import { PullConnection } from './pull-connection.ts';
import type { TcpLimits } from './limits.ts';

interface Idle {
  connection: PullConnection;
  timer: NodeJS.Timeout;
}

/** Keeps connections to other agents for the next pull. */
export class ConnectionPool {
  readonly #limits: TcpLimits;
  readonly #idle = new Map<string, Idle[]>();
  readonly #open = new Set<PullConnection>();
  #isClosed = false;

  constructor(limits: TcpLimits) {
    this.#limits = limits;
  }

  /** The one used last, or a new one when there is none or `fresh` is asked for. */
  take(address: { host: string; port: number }, fresh = false): PullConnection {
    const idle = fresh ? [] : (this.#idle.get(nameOf(address)) ?? []);
    for (let entry = idle.pop(); entry; entry = idle.pop()) {
      clearTimeout(entry.timer);
      if (entry.connection.isReusable) return entry.connection;
    }
    const { connectTimeoutMs } = this.#limits;
    const connection = new PullConnection(address.host, address.port, connectTimeoutMs, () => {
      this.#open.delete(connection);
    });
    this.#open.add(connection);
    return connection;
  }

  /** The connection's answer is complete; it waits for the next pull, or is closed when enough wait already. */
  give(address: { host: string; port: number }, connection: PullConnection): void {
    connection.free();
    const name = nameOf(address);
    const idle = this.#idle.get(name) ?? [];
    this.#idle.set(name, idle);
    if (this.#isClosed || !connection.isReusable || idle.length >= this.#limits.maxIdlePerAddress) {
      connection.destroy();
      return;
    }
    const timer = setTimeout(() => {
      connection.destroy();
      const index = idle.findIndex((entry) => entry.connection === connection);
      if (index >= 0) idle.splice(index, 1);
      if (idle.length === 0) this.#idle.delete(name);
    }, this.#limits.idleMs);
    timer.unref();
    idle.push({ connection, timer });
  }

  close(): void {
    this.#isClosed = true;
    for (const idle of this.#idle.values()) for (const entry of idle) clearTimeout(entry.timer);
    this.#idle.clear();
    for (const connection of this.#open) connection.destroy();
  }
}

function nameOf(address: { host: string; port: number }): string {
  return `${address.host} ${address.port}`;
}
