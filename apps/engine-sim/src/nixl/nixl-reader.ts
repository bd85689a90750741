import { isDeepStrictEqual } from 'node:util';
import type { BlockPool } from '../cache/block-pool.ts';
import { HANDSHAKE_MS, type EnginePlaces } from '../connectors/engine-places.ts';
import type { EngineClock } from '../engine/clock.ts';
import { ENGINE_DIED, type EngineFault, type RemoteKv } from '../engine/generation.ts';
import { KV_LOST, transferOf, type OnTransfer, type TransferSpeed } from '../engine/kv-transfer.ts';
import type { JsonObject } from '../http/json-object.ts';
import type { ViolationKind } from '../violations.ts';
import { changedFields, type ReadParams } from './nixl-params.ts';
import type { NixlSource } from './nixl-source.ts';

export interface NixlReaderOptions extends TransferSpeed {
  network: EnginePlaces<NixlSource>;
  clock: EngineClock;
  complain: (kind: ViolationKind, detail: string) => void;
  /** True when the next transfer is to fail. */
  takeFailure: () => boolean;
  onTransfer: OnTransfer;
  /** The engine cannot go on. */
  die: (fault: EngineFault) => void;
}

export interface ReadOrder {
  params: JsonObject;
  read: ReadParams;
  promptTokens: readonly number[];
  /** A prefill reads the turn before from a decode; otherwise a decode reads a prompt from a prefill. */
  isTurn: boolean;
  /** What the client's side calls the request. */
  clientId: string | undefined;
}

/** vLLM's `kv_recompute_threshold`. */
const LEAST_TURN_TOKENS = 64;

/**
 * The side of NixlConnector that reads. It does what vLLM does with parameters that are wrong, which is to read
 * whatever is there or to die, and it complains of everything that a real engine would not even notice.
 */
export class NixlReader {
  readonly #options: NixlReaderOptions;

  constructor(options: NixlReaderOptions) {
    this.#options = options;
  }

  open(order: ReadOrder): RemoteKv {
    const { host, port, requestId } = order.read;
    const source = this.#options.network.at(host, port);
    const { isTurn, params } = order;
    // A prefill says nothing while it waits: what decode holds is not renewed.
    if (!isTurn) source?.addReader(requestId, 1);
    let isOver = false;
    const over = (): void => {
      isOver = true;
      if (!isTurn) source?.addReader(requestId, -1);
    };
    const tokens = Number(params['remote_num_tokens']) || 0;
    return {
      ...(isTurn && { tokens, leastTokens: LEAST_TURN_TOKENS }),
      read: (pool, blocks, done) => {
        this.#read(order, pool, blocks, (fault) => {
          over();
          done(fault);
        });
      },
      notNeeded: () => {
        if (isOver) return;
        over();
        if (source === undefined) return;
        if (isTurn) this.#check(order, source);
        source.notify(requestId);
      },
    };
  }

  #read(
    order: ReadOrder,
    pool: BlockPool,
    blocks: readonly number[],
    done: (fault?: EngineFault) => void,
  ): void {
    const { clock, network, complain } = this.#options;
    const { host, port, engineId, requestId, blockIds } = order.read;
    const source = network.at(host, port);
    if (source?.engineId !== engineId) {
      if (!network.knew(engineId)) {
        complain('unknown_engine', `${requestId}: ${engineId} is not at ${host}:${port}`);
      }
      this.#fail(clock.now() + HANDSHAKE_MS, done);
      return;
    }
    this.#check(order, source);
    if (blockIds.length < blocks.length) {
      const needed = `${blockIds.length} blocks for ${blocks.length}`;
      complain('too_few_blocks', `${requestId}: ${needed}`);
      clock.at(clock.now(), () => {
        this.#options.die(ENGINE_DIED);
        done(ENGINE_DIED);
      });
      return;
    }
    const remote = blockIds.slice(blockIds.length - blocks.length);
    const transfer = transferOf(blocks.length, pool, this.#options);
    const endMs = clock.now() + transfer.durationMs;
    if (this.#options.takeFailure() || !remote.every((block) => source.pool.has(block))) {
      this.#fail(endMs, done);
      return;
    }
    clock.at(endMs, () => {
      if (network.at(host, port) !== source) {
        this.#fail(clock.now(), done);
        return;
      }
      pool.copyFrom(source.pool, remote, blocks);
      source.notify(requestId);
      this.#options.onTransfer(transfer);
      done();
    });
  }

  #fail(atMs: number, done: (fault: EngineFault) => void): void {
    this.#options.clock.at(atMs, () => {
      this.#options.onTransfer('failed');
      done(KV_LOST);
    });
  }

  /** What vLLM does not look at. */
  #check(order: ReadOrder, source: NixlSource): void {
    const { read, params, promptTokens, clientId, isTurn } = order;
    const { complain } = this.#options;
    const found = source.find(read.requestId);
    const of = (what: string): string => `${read.requestId}: ${what}`;
    if (found.state === 'unknown') {
      complain('unknown_request', of(`nothing is kept under this name at ${source.engineId}`));
      return;
    }
    const { state, prompt } = found;
    if (state === 'expired') complain('used_after_expiry', of('its blocks are free'));
    else if (prompt.isBeingRead) complain('used_twice', of('its KV was read before'));
    prompt.isBeingRead = true;
    const changed = changedFields(prompt.params, params);
    if (changed.length > 0) complain('changed_parameters', of(changed.join()));
    if (isTurn) {
      const begin = promptTokens.slice(0, prompt.tokens.length);
      if (isDeepStrictEqual([...prompt.tokens], begin)) return;
      complain('other_prompt', of('the prompt does not begin as the turn before ended'));
      return;
    }
    if (prompt.clientId !== clientId) {
      complain('other_request_id', of(`prefill had ${prompt.clientId}, decode has ${clientId}`));
    }
    if (!isDeepStrictEqual([...prompt.tokens], [...promptTokens])) {
      complain('other_prompt', of('decode has another prompt than prefill'));
    }
  }
}
