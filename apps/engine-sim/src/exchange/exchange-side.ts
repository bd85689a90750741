import { HANDSHAKE_MS, type EnginePlace, type EnginePlaces } from '../connectors/engine-places.ts';
import type { EngineClock } from '../engine/clock.ts';
import type { RemoteKv } from '../engine/generation.ts';
import { KV_LOST } from '../engine/kv-transfer.ts';
import type { SimEngine } from '../engine/sim-engine.ts';
import type { FaultPlan } from '../faults/fault.ts';
import type { ViolationKind } from '../violations.ts';
import type { PromptExchange } from './prompt-exchange.ts';

/** What one engine is to those with which it exchanges prompts. */
export interface ExchangeSide {
  engine: SimEngine;
  clock: EngineClock;
  faults: FaultPlan;
  places: EnginePlaces<PromptExchange>;
  /** Of its own, where it prefills. */
  exchange: PromptExchange;
  complain: (kind: ViolationKind, detail: string) => void;
}

/** The place of a decode with the prefill engine that it was told of; one where its KV never comes when nobody is there. */
export function seatAt(
  { clock, faults, places, complain }: ExchangeSide,
  { host, port, engineId }: EnginePlace,
  id: string,
  promptTokens: readonly number[],
): { remote: RemoteKv; leave?: () => void } {
  const exchange = places.at(host, port);
  if (exchange?.engineId === engineId) {
    const takeFailure = (): boolean => faults.take(['transfer_failure']) !== undefined;
    const remote = exchange.seatDecode(id, promptTokens, takeFailure);
    return { remote, leave: () => remote.leave() };
  }
  if (!places.knew(engineId)) {
    complain('unknown_engine', `${id}: ${engineId} is not at ${host}:${port}`);
  }
  const read: RemoteKv['read'] = (_pool, _blocks, done) => {
    clock.at(clock.now() + HANDSHAKE_MS, () => done(KV_LOST));
  };
  return { remote: { read, notNeeded: () => undefined } };
}
