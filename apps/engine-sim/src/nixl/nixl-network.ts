import type { NixlSource } from './nixl-source.ts';

/** Who can be reached at which side channel. One for each group of stand-ins that may hand over to one another. */
export class NixlNetwork {
  readonly #sources = new Map<string, NixlSource>();
  readonly #everKnown = new Set<string>();

  /** @throws Error when the address is taken, as binding a socket would. */
  add(source: NixlSource): void {
    const address = addressOf(source.host, source.port);
    if (this.#sources.has(address)) throw new Error(`the side channel ${address} is in use`);
    this.#sources.set(address, source);
    this.#everKnown.add(source.engineId);
  }

  remove(source: NixlSource): void {
    const address = addressOf(source.host, source.port);
    if (this.#sources.get(address) === source) this.#sources.delete(address);
  }

  at(host: string, port: number): NixlSource | undefined {
    return this.#sources.get(addressOf(host, port));
  }

  /** Whether there was ever such an engine: one that has ended is nobody's fault. */
  knew(engineId: string): boolean {
    return this.#everKnown.has(engineId);
  }

  /** A port that no source of this host has. */
  freePort(host: string): number {
    let port = FIRST_PORT;
    while (this.#sources.has(addressOf(host, port))) port += 1;
    return port;
  }
}

/** vLLM's default of VLLM_NIXL_SIDE_CHANNEL_PORT. */
const FIRST_PORT = 5_600;

function addressOf(host: string, port: number): string {
  return `${host}:${port}`;
}
