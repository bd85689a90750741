/** Which part of a plan a request is, as its parameters say. */
export type Leg = 'aggregated' | 'prefill' | 'decode';

/** What a stand-in can be told to do wrong, each the next time that there is an occasion. */
export type Fault =
  /** The request is taken and never answered. */
  | { kind: 'hang'; on?: Leg | undefined }
  /** The connection is reset. */
  | { kind: 'reset'; on?: Leg | undefined }
  /** Another answer than 200, e.g. 429 or 503. */
  | { kind: 'status'; status: number; retryAfterSec?: number | undefined; on?: Leg | undefined }
  /** The answer comes so much later, engine time. */
  | { kind: 'delay'; delayMs: number; on?: Leg | undefined }
  /** After so many tokens of a stream: the connection ends. */
  | { kind: 'cut'; afterTokens: number; on?: Leg | undefined }
  /** … nothing more comes. */
  | { kind: 'stall'; afterTokens: number; on?: Leg | undefined }
  /** … an event that is no JSON. */
  | { kind: 'malformed_sse'; afterTokens: number; on?: Leg | undefined }
  /** … an event with an error, as vLLM sends it when its engine fails. */
  | { kind: 'error_event'; afterTokens: number; on?: Leg | undefined }
  /** A prefill's answer says nothing of its KV, which is not kept. */
  | { kind: 'no_parameters' }
  /** A decode's transfer fails when its time is over. */
  | { kind: 'transfer_failure' }
  /** A batch of KV events is published and does not arrive; a replay has it. */
  | { kind: 'lose_events' }
  /** A batch of KV events arrives twice. */
  | { kind: 'repeat_events' };

export type FaultKind = Fault['kind'];

/** Faults that may wait at the same time. */
const MAX_ARMED = 100_000;

/** Faults that wait for their occasion, in the order in which they were told. */
export class FaultPlan {
  readonly armed: Fault[] = [];

  /** @throws RangeError when too many wait already. */
  arm(fault: Fault, times = 1): void {
    if (this.armed.length + times > MAX_ARMED) throw new RangeError('too many faults wait');
    for (let i = 0; i < times; i += 1) this.armed.push(fault);
  }

  clear(): void {
    this.armed.length = 0;
  }

  /** The next fault of one of these kinds that is meant for this leg; it is not armed any more. */
  take<K extends FaultKind>(
    kinds: readonly K[],
    leg?: Leg,
  ): Extract<Fault, { kind: K }> | undefined {
    const at = this.armed.findIndex(
      (fault) =>
        (kinds as readonly FaultKind[]).includes(fault.kind) &&
        (!('on' in fault) || fault.on === undefined || fault.on === leg),
    );
    const [fault] = at < 0 ? [] : this.armed.splice(at, 1);
    return fault as Extract<Fault, { kind: K }> | undefined;
  }
}
