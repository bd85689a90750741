import type { EngineProtocol, LegKind, LegRequest } from '@baton/engine-protocols';
import type { Span } from '@baton/telemetry';
import type { StreamAnswer } from '../answer/stream-answer.ts';
import type { WholeAnswer } from '../answer/whole-answer.ts';
import type { KeptTurn, TurnPlace } from '../planning/kept-turns.ts';
import type { TokenLedger } from '../planning/token-ledger.ts';
import type { GatewayDeps } from '../ports.ts';

export type SomeAnswer =
  { streamed: true; stream: StreamAnswer } | { streamed: false; whole: WholeAnswer };

/** What the plans of one request share. */
export interface RequestRun {
  deps: GatewayDeps;
  legRequest: Omit<LegRequest, 'planId'>;
  /** Id of the request inside Baton; never the client's. */
  internalId: string;
  span: Span;
  /** Aborted when the client leaves or the gateway stops. */
  signal: AbortSignal;
  ledger: TokenLedger;
  /** By what its turn will be found again. */
  place: TurnPlace;
  /** The turn before, while a decode worker keeps it and no prefill was told of it. */
  keptTurn: KeptTurn | undefined;
  answer: SomeAnswer;
  /** That of the plan that runs, and which of its legs answers; undefined before there is one. */
  protocol: EngineProtocol | undefined;
  answering: LegKind;
  /** Output tokens that a prefill leg has given; later legs go on after them. */
  sampled: readonly number[] | undefined;
}

export function hasAdvanced({ answer }: RequestRun): boolean {
  return answer.streamed && answer.stream.advanced;
}
