import type { BootstrapServer } from './bootstrap-server.ts';

/** Who can be met where. One for each group of stand-ins that may hand over to one another. */
export class BootstrapNetwork {
  readonly #servers = new Map<string, BootstrapServer>();
  readonly #everKnown = new Set<string>();

  /** @throws Error when the address is taken, as binding a socket would. */
  add(server: BootstrapServer): void {
    const address = addressOf(server.host, server.port);
    if (this.#servers.has(address)) throw new Error(`the bootstrap address ${address} is in use`);
    this.#servers.set(address, server);
    this.#everKnown.add(address);
  }

  remove(server: BootstrapServer): void {
    const address = addressOf(server.host, server.port);
    if (this.#servers.get(address) === server) this.#servers.delete(address);
  }

  at(host: string, port: number): BootstrapServer | undefined {
    return this.#servers.get(addressOf(host, port));
  }

  /** Whether there was ever somebody: one that has ended is nobody's fault. */
  knew(host: string, port: number): boolean {
    return this.#everKnown.has(addressOf(host, port));
  }

  /** A port that nobody of this host has. */
  freePort(host: string): number {
    let port = FIRST_PORT;
    while (this.#servers.has(addressOf(host, port))) port += 1;
    return port;
  }
}

/** SGLang's default of --disaggregation-bootstrap-port. */
const FIRST_PORT = 8_998;

function addressOf(host: string, port: number): string {
  return `${host}:${port}`;
}
