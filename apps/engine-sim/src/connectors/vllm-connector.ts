import type { Transfer, TransferRequest } from '../http/dialect.ts';
import type { JsonObject } from '../http/json-object.ts';

/** What moves a vLLM's KV. What it is asked in `kv_transfer_params` has been looked at for its direction alone. */
export interface VllmConnector {
  prefill(params: JsonObject, request: TransferRequest): Transfer;
  /** @throws EngineError when the engine has died of it */
  decode(params: JsonObject, request: TransferRequest): Transfer;
  /** Prompts and turns that are kept, or waited for. */
  readonly held: number;
  /**
   * Binds what has to be bound; gives the port of a bootstrap server.
   *
   * @param earlierPort of its former life
   * @throws Error when a port is taken
   */
  open(earlierPort: number | undefined): Promise<number | undefined>;
  /** The engine ends, or computes no more: nothing of it can be read. */
  close(): void;
}
