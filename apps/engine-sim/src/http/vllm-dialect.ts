import type { SimEngine } from '../engine/sim-engine.ts';
import type { FaultPlan, Leg } from '../faults/fault.ts';
import { readParams, type ReadParams } from '../nixl/nixl-params.ts';
import { ENGINE_DIED, type NixlReader } from '../nixl/nixl-reader.ts';
import type { NixlSource } from '../nixl/nixl-source.ts';
import type { ViolationKind } from '../violations.ts';
import { formatOf } from './answer-format.ts';
import type { Dialect, JsonObject, Transfer, TransferRequest } from './dialect.ts';
import { EngineError } from './engine-error.ts';

export interface VllmDialectOptions {
  engine: SimEngine;
  faults: FaultPlan;
  /** Undefined without a connector. */
  nixl: { source: NixlSource; reader: NixlReader; isBidirectional: boolean } | undefined;
  complain: (kind: ViolationKind, detail: string) => void;
}

/** vLLM, alone or with NixlConnector: who prefills says where its KV is, and decode is told. */
export class VllmDialect implements Dialect {
  readonly formatOf = formatOf;
  readonly #options: VllmDialectOptions;

  constructor(options: VllmDialectOptions) {
    this.#options = options;
  }

  legOf(body: unknown): Leg {
    const { kv_transfer_params: params }: { kv_transfer_params?: unknown } = Object(body);
    const flags: { do_remote_decode?: unknown; do_remote_prefill?: unknown } = Object(params);
    if (flags.do_remote_decode === true) return 'prefill';
    return flags.do_remote_prefill === true ? 'decode' : 'aggregated';
  }

  transferOf({ body, promptTokens, clientId }: TransferRequest): Transfer {
    const params = objectOf(body['kv_transfer_params']);
    const { nixl, complain, engine } = this.#options;
    if (params === undefined) return { leg: 'aggregated' };
    const name = clientId ?? 'a request without an id';
    if (nixl === undefined) {
      complain('no_connector', `${name}: kv_transfer_params without a connector`);
      return { leg: 'aggregated' };
    }
    const isPrefill = params['do_remote_decode'] === true;
    const isDecode = params['do_remote_prefill'] === true;
    if (isPrefill && isDecode) complain('both_directions', name);
    if (isPrefill) {
      const asked = body['max_completion_tokens'] ?? body['max_tokens'];
      if (body['stream'] === true || asked !== 1) {
        complain(
          'prefill_not_cut',
          `${name}: stream ${String(body['stream'])}, max ${String(asked)}`,
        );
      }
      const turn = readTurn(params, nixl.isBidirectional);
      return {
        leg: 'prefill',
        remote:
          turn && nixl.reader.open({ params, read: turn, promptTokens, isTurn: true, clientId }),
        keep: (kept) => this.#keep(kept, clientId),
      };
    }
    if (!isDecode) {
      complain('empty_parameters', `${name}: neither direction is asked for`);
      return { leg: 'aggregated' };
    }
    const read = readParams(params);
    if (read === undefined) {
      complain('incomplete_parameters', `${name}: ${Object.keys(params).join()}`);
      engine.die(ENGINE_DIED);
      throw new EngineError(ENGINE_DIED.status, ENGINE_DIED.message);
    }
    const cached = params['remote_prefill_cached_tokens'];
    return {
      leg: 'decode',
      remote: nixl.reader.open({ params, read, promptTokens, isTurn: false, clientId }),
      ...(nixl.isBidirectional && { keep: (kept) => nixl.source.holdTurn(kept, clientId) }),
      prefillCachedTokens: Number.isSafeInteger(cached) ? Number(cached) : undefined,
    };
  }

  errorBody({ message, type, param, status }: EngineError): object {
    return { error: { message, type, param, code: status } };
  }

  /** What says where the KV is; null where a fault loses it. */
  #keep(kept: Parameters<NixlSource['hold']>[0], clientId: string | undefined): object | null {
    const { nixl, engine, faults } = this.#options;
    if (nixl !== undefined && faults.take(['no_parameters']) === undefined) {
      return nixl.source.hold(kept, clientId);
    }
    engine.pool.release(kept.blocks);
    return null;
  }
}

/** Undefined where nothing is to be read, or not enough is said: vLLM then computes. */
function readTurn(params: JsonObject, isBidirectional: boolean): ReadParams | undefined {
  const read = readParams(params);
  return isBidirectional && read !== undefined && read.blockIds.length > 0 ? read : undefined;
}

function objectOf(value: unknown): JsonObject | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as JsonObject) : undefined;
}
