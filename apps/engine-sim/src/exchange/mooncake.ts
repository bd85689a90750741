import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { VllmConnector } from '../connectors/vllm-connector.ts';
import type { Transfer, TransferRequest } from '../http/dialect.ts';
import type { JsonObject } from '../http/json-object.ts';
import { seatAt, type ExchangeSide } from './exchange-side.ts';

const NEEDED = ['remote_engine_id', 'remote_bootstrap_addr', 'transfer_id'] as const;

/**
 * MooncakeConnector: both sides are told one transfer id, and decode where prefill's bootstrap server is, which is a real
 * one. Prefill's answer says nothing.
 */
export class Mooncake implements VllmConnector {
  readonly #side: ExchangeSide;
  #server: Server | undefined;

  constructor(side: ExchangeSide) {
    this.#side = side;
  }

  get held(): number {
    return this.#side.exchange.open;
  }

  async open(earlierPort: number | undefined): Promise<number> {
    const { exchange, places } = this.#side;
    const { engineId, host } = exchange;
    const server = createServer((request, response) => {
      const isQuery = request.url === '/query' && request.method === 'GET';
      const worker_addr = { 0: { 0: `tcp://${host}:${exchange.port}` } };
      const said = isQuery ? { 0: { engine_id: engineId, worker_addr } } : { detail: 'Not Found' };
      response.writeHead(isQuery ? 200 : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify(said));
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(earlierPort ?? exchange.port, host, resolve);
    });
    this.#server = server;
    exchange.listensAt((server.address() as AddressInfo).port);
    places.add(exchange);
    return exchange.port;
  }

  close(): void {
    const { exchange, places } = this.#side;
    this.#server?.closeAllConnections();
    this.#server?.close();
    places.remove(exchange);
    exchange.close();
  }

  prefill({ transfer_id }: JsonObject, { promptTokens, clientId }: TransferRequest): Transfer {
    const { exchange, engine, complain } = this.#side;
    if (typeof transfer_id !== 'string' || transfer_id === '') {
      complain('incomplete_parameters', `${clientId}: prefill without a transfer_id`);
      return { leg: 'prefill' };
    }
    const { keep, leave } = exchange.seatPrefill(transfer_id, promptTokens);
    return {
      leg: 'prefill',
      leave,
      keep: (kept, reason) => {
        // What ends by itself is not kept, as in vLLM up to 0.32, and decode waits in vain.
        if (reason === 'length') keep(kept);
        else {
          engine.pool.release(kept.blocks);
          complain('ended_by_itself', `${transfer_id}: prefill ended with "${reason}"`);
        }
        return null;
      },
    };
  }

  decode(params: JsonObject, { promptTokens, clientId = '' }: TransferRequest): Transfer {
    const missing = NEEDED.filter((name) => typeof params[name] !== 'string');
    if (missing.length > 0) {
      // It is said in vLLM's log, and the request goes unheard.
      this.#side.complain('incomplete_parameters', `${clientId}: no ${missing.join()}`);
      return { leg: 'decode', remote: { read: () => undefined, notNeeded: () => undefined } };
    }
    const { remote_engine_id, remote_bootstrap_addr, transfer_id } = params;
    const { hostname, port } = new URL(String(remote_bootstrap_addr));
    const at = { host: hostname, port: Number(port), engineId: String(remote_engine_id) };
    return { leg: 'decode', ...seatAt(this.#side, at, String(transfer_id), promptTokens) };
  }
}
