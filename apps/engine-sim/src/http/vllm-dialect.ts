import type { VllmConnector } from '../connectors/vllm-connector.ts';
import type { Leg } from '../faults/fault.ts';
import type { ViolationKind } from '../violations.ts';
import { formatOf } from './answer-format.ts';
import type { Dialect, NamedModel, Transfer, TransferRequest } from './dialect.ts';
import type { EngineError } from './engine-error.ts';
import type { Front } from './front.ts';
import { objectOf, type JsonObject } from './json-object.ts';
import { requireModel } from './require-model.ts';

export interface VllmDialectOptions {
  /** Undefined without one. */
  connector: VllmConnector | undefined;
  complain: (kind: ViolationKind, detail: string) => void;
}

/** vLLM, alone or with a connector. */
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

  /** An adapter is asked for as a model is. */
  modelOf(body: JsonObject, front: Front): NamedModel {
    const model = requireModel(body['model'], front);
    return { model, adapter: front.adapters.find(model) };
  }

  transferOf(request: TransferRequest): Transfer {
    const { body, clientId } = request;
    const params = objectOf(body['kv_transfer_params']);
    const { connector, complain } = this.#options;
    if (params === undefined) return { leg: 'aggregated' };
    const name = clientId ?? 'a request without an id';
    if (connector === undefined) {
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
      return connector.prefill(params, request);
    }
    if (isDecode) return connector.decode(params, request);
    complain('empty_parameters', `${name}: neither direction is asked for`);
    return { leg: 'aggregated' };
  }

  errorBody({ message, type, param, status }: EngineError): object {
    return { error: { message, type, param, code: status } };
  }
}
