import type { VllmConnector } from '../connectors/vllm-connector.ts';
import { ENGINE_DIED, type KeptKv } from '../engine/generation.ts';
import type { Transfer, TransferRequest } from '../http/dialect.ts';
import type { JsonObject } from '../http/json-object.ts';
import { EngineError } from '../http/engine-error.ts';
import { seatAt, type ExchangeSide } from './exchange-side.ts';

/** vLLM goes on without none of them. */
const NEEDED = [
  ...['remote_engine_id', 'remote_request_id', 'remote_host', 'remote_port', 'tp_size'],
] as const;

/**
 * NixlPushConnector: decode says where its blocks are, prefill writes into them when it is done. Both go by the request id
 * of their clients.
 */
export class NixlPush implements VllmConnector {
  readonly #side: ExchangeSide;

  constructor(side: ExchangeSide) {
    this.#side = side;
    side.places.add(side.exchange);
  }

  get held(): number {
    return this.#side.exchange.open;
  }

  open(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  close(): void {
    this.#side.places.remove(this.#side.exchange);
    this.#side.exchange.close();
  }

  prefill(_params: JsonObject, { promptTokens, clientId }: TransferRequest): Transfer {
    const { exchange, engine } = this.#side;
    // Without an id no decode can be meant: who asks so wants to know the place.
    if (clientId === undefined) {
      const keep = (kept: KeptKv): object => {
        engine.pool.release(kept.blocks);
        return this.#said(kept);
      };
      return { leg: 'prefill', keep };
    }
    const { keep, leave } = exchange.seatPrefill(clientId, promptTokens);
    return {
      leg: 'prefill',
      leave,
      keep: (kept) => {
        keep(kept);
        return this.#said(kept);
      },
    };
  }

  decode(params: JsonObject, { promptTokens, clientId = '' }: TransferRequest): Transfer {
    const missing = NEEDED.filter((name) => params[name] === undefined || params[name] === null);
    if (missing.length > 0) {
      const { complain, engine } = this.#side;
      complain('incomplete_parameters', `${clientId}: no ${missing.join()}`);
      engine.die(ENGINE_DIED);
      throw new EngineError(ENGINE_DIED.status, ENGINE_DIED.message);
    }
    const { remote_host, remote_port, remote_engine_id } = params;
    const place = { host: String(remote_host), port: Number(remote_port) };
    const at = { ...place, engineId: String(remote_engine_id) };
    return { leg: 'decode', ...seatAt(this.#side, at, clientId, promptTokens) };
  }

  /** In the order in which vLLM 0.32 writes it; nobody needs it but who looks for the place. */
  #said({ requestId, blocks, tokens, cachedTokens }: KeptKv): object {
    const { engineId, host, port } = this.#side.exchange;
    return {
      ...{ do_remote_prefill: true, do_remote_decode: false, remote_block_ids: [[...blocks]] },
      ...{ remote_engine_id: engineId, remote_request_id: requestId },
      ...{ remote_host: host, remote_port: port, tp_size: 1, dcp_size: 1, pp_size: 1 },
      ...{ remote_num_tokens: tokens.length, transfer_mode: 'push' },
      remote_prefill_cached_tokens: cachedTokens,
    };
  }
}
