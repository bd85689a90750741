/** How long an address where nobody answers is tried, ms. */
export const HANDSHAKE_MS = 5_000;

/** Where an engine of a pair can be met. */
export interface EnginePlace {
  /** By which others know it. */
  readonly engineId: string;
  readonly host: string;
  readonly port: number;
}

/** Who can be met where. One for each group of stand-ins that may hand over to one another. */
export class EnginePlaces<T extends EnginePlace> {
  readonly #places = new Map<string, T>();
  readonly #everKnown = new Set<string>();
  readonly #firstPort: number;

  /** @param firstPort the connector's default */
  constructor(firstPort: number) {
    this.#firstPort = firstPort;
  }

  /** @throws Error when the address is taken, as binding a socket would. */
  add(place: T): void {
    const address = addressOf(place.host, place.port);
    if (this.#places.has(address)) throw new Error(`the address ${address} is in use`);
    this.#places.set(address, place);
    this.#everKnown.add(place.engineId);
  }

  remove(place: T): void {
    const address = addressOf(place.host, place.port);
    if (this.#places.get(address) === place) this.#places.delete(address);
  }

  at(host: string, port: number): T | undefined {
    return this.#places.get(addressOf(host, port));
  }

  /** Whether there was ever such an engine: one that has ended is nobody's fault. */
  knew(engineId: string): boolean {
    return this.#everKnown.has(engineId);
  }

  /** A port that nobody of this host has. */
  freePort(host: string): number {
    let port = this.#firstPort;
    while (this.#places.has(addressOf(host, port))) port += 1;
    return port;
  }
}

function addressOf(host: string, port: number): string {
  return `${host}:${port}`;
}
