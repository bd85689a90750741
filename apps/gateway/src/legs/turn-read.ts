import type { BatonError } from '@baton/kv';
import type {
  HandoverParams,
  JsonObject,
  PromptAccounting,
  SequentialProtocol,
} from '@baton/engine-protocols';
import { attributes, failSpan, type Span } from '@baton/telemetry';
import type { KeptTurn } from '../planning/kept-turns.ts';
import type { Plan } from '../planning/request-plan.ts';
import { HandoverSpan } from './handover-span.ts';
import type { RequestRun } from './request-run.ts';

/** A prefill that reads what a decode worker keeps of the turn before. */
export class TurnRead {
  readonly params: HandoverParams;
  readonly #turn: KeptTurn;
  readonly #plan: Plan;
  readonly #span: Span;

  private constructor(parent: Span, plan: Plan, turn: KeptTurn, params: HandoverParams) {
    this.params = params;
    this.#turn = turn;
    this.#plan = plan;
    this.#span = HandoverSpan.ofTurn(parent, plan, turn);
  }

  /** Takes the turn that the plan wants read; undefined where it wants none, or it is gone. */
  static begin(run: RequestRun, plan: Plan): TurnRead | undefined {
    const turn = run.keptTurn;
    if (!plan.readsTurn || turn === undefined || turn.workerId === plan.prefill.workerId) {
      return undefined;
    }
    run.keptTurn = undefined;
    const params = run.deps.turns.take(turn);
    return params && new TurnRead(run.span, plan, turn, params);
  }

  /** What the engine found in its cache, without what it has read; as far as the plan knew its cache. */
  accounted(accounting: PromptAccounting | undefined): PromptAccounting | undefined {
    if (accounting === undefined) return undefined;
    const cached = Math.min(accounting.reusedTokens, this.#plan.prefill.heldTokens);
    // Of what is behind that the engine may have had more than was known, but not less than it read.
    const readTokens = Math.max(0, Math.min(accounting.reusedTokens, this.#turn.tokens) - cached);
    const reusedTokens = accounting.reusedTokens - readTokens;
    return { ...accounting, reusedTokens, transferredTokens: readTokens };
  }

  end(accounting: PromptAccounting | undefined): void {
    if (accounting !== undefined) {
      this.#span.setAttribute(attributes.transferredTokens, accounting.transferredTokens);
    }
    this.#span.end();
  }

  fail(error: BatonError): void {
    failSpan(this.#span, error);
    this.#span.end();
  }
}

/** Remembers what a decode worker says that it keeps of the turn that it has just answered. */
export function keepTurn(
  { deps, place }: RequestRun,
  { decode }: Plan,
  protocol: SequentialProtocol,
  answer: JsonObject,
): void {
  const read = protocol.readTurn(answer, decode.blockTokens);
  if (!read.ok) {
    const fields = { event: 'turn_unusable', worker: decode.workerId, reason: read.reason };
    deps.log.warn(fields, 'what a decode worker keeps of a turn cannot be used');
  } else if (read.value !== undefined) deps.turns.keep(place, decode, read.value);
}
