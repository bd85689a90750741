import type { VllmConnector } from '../connectors/vllm-connector.ts';
import type { SimEngine } from '../engine/sim-engine.ts';
import { ENGINE_DIED, type KeptKv } from '../engine/generation.ts';
import type { FaultPlan } from '../faults/fault.ts';
import type { Transfer, TransferRequest } from '../http/dialect.ts';
import type { JsonObject } from '../http/json-object.ts';
import { EngineError } from '../http/engine-error.ts';
import type { ViolationKind } from '../violations.ts';
import type { EnginePlaces } from '../connectors/engine-places.ts';
import { readParams, type ReadParams } from './nixl-params.ts';
import type { NixlReader } from './nixl-reader.ts';
import type { NixlSource } from './nixl-source.ts';

export interface NixlPullOptions {
  engine: SimEngine;
  faults: FaultPlan;
  places: EnginePlaces<NixlSource>;
  source: NixlSource;
  reader: NixlReader;
  isBidirectional: boolean;
  complain: (kind: ViolationKind, detail: string) => void;
}

/** NixlConnector: who prefills says where its KV is, and decode is told and reads it. */
export class NixlPull implements VllmConnector {
  readonly #options: NixlPullOptions;

  constructor(options: NixlPullOptions) {
    this.#options = options;
    options.places.add(options.source);
  }

  get held(): number {
    return this.#options.source.heldPrompts;
  }

  open(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  close(): void {
    const { places, source } = this.#options;
    places.remove(source);
    source.close();
  }

  prefill(params: JsonObject, { promptTokens, clientId }: TransferRequest): Transfer {
    const { reader, isBidirectional } = this.#options;
    const turn = readTurn(params, isBidirectional);
    return {
      leg: 'prefill',
      remote: turn && reader.open({ params, read: turn, promptTokens, isTurn: true, clientId }),
      keep: (kept) => this.#keep(kept, clientId),
    };
  }

  decode(params: JsonObject, { promptTokens, clientId }: TransferRequest): Transfer {
    const { source, reader, isBidirectional, complain, engine } = this.#options;
    const read = readParams(params);
    if (read === undefined) {
      const name = clientId ?? 'a request without an id';
      complain('incomplete_parameters', `${name}: ${Object.keys(params).join()}`);
      engine.die(ENGINE_DIED);
      throw new EngineError(ENGINE_DIED.status, ENGINE_DIED.message);
    }
    const cached = params['remote_prefill_cached_tokens'];
    return {
      leg: 'decode',
      remote: reader.open({ params, read, promptTokens, isTurn: false, clientId }),
      ...(isBidirectional && { keep: (kept) => source.holdTurn(kept, clientId) }),
      prefillCachedTokens: Number.isSafeInteger(cached) ? Number(cached) : undefined,
    };
  }

  /** What says where the KV is; null where a fault loses it. */
  #keep(kept: KeptKv, clientId: string | undefined): object | null {
    const { source, engine, faults } = this.#options;
    if (faults.take(['no_parameters']) === undefined) return source.hold(kept, clientId);
    engine.pool.release(kept.blocks);
    return null;
  }
}

/** Undefined where nothing is to be read, or not enough is said: vLLM then computes. */
function readTurn(params: JsonObject, isBidirectional: boolean): ReadParams | undefined {
  const read = readParams(params);
  return isBidirectional && read !== undefined && read.blockIds.length > 0 ? read : undefined;
}
