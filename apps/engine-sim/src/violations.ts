/** What a stand-in holds against those who use it; docs/engine-sim.md says what each one means. */
export type ViolationKind =
  | 'no_connector'
  | 'prefill_not_cut'
  | 'both_directions'
  | 'empty_parameters'
  | 'incomplete_parameters'
  | 'changed_parameters'
  | 'too_few_blocks'
  | 'unknown_engine'
  | 'unknown_request'
  | 'used_twice'
  | 'used_after_expiry'
  | 'other_request_id'
  | 'other_prompt'
  | 'wrong_kv'
  | 'lease_expired'
  | 'never_met'
  | 'never_written'
  | 'ended_by_itself'
  | 'no_room'
  | 'no_such_room'
  | 'other_bootstrap'
  | 'unknown_bootstrap'
  | 'room_used_twice'
  | 'room_never_met'
  | 'no_such_rank'
  | 'other_rank';

export interface Violation {
  kind: ViolationKind;
  /** Name of the stand-in that saw it. */
  engine: string;
  detail: string;
  /** Engine time, ms. */
  atMs: number;
}

export type ViolationCounts = Partial<Record<ViolationKind, number>>;

/** Violations that are kept word for word; the others are only counted. */
const MAX_KEPT = 1_000;

/** The violations of one stand-in, or of many. */
export class ViolationLog {
  /** The first ones, word for word. */
  readonly list: Violation[] = [];
  /** All that there were. */
  total = 0;
  /** By the name of the stand-in that saw them. */
  readonly #counts = new Map<string, ViolationCounts>();

  record(violation: Violation): void {
    const { engine, kind } = violation;
    const counts = this.countsOf(engine);
    this.#counts.set(engine, { ...counts, [kind]: (counts[kind] ?? 0) + 1 });
    this.total += 1;
    if (this.list.length < MAX_KEPT) this.list.push(violation);
  }

  /** All of one stand-in. */
  countsOf(engine: string): ViolationCounts {
    return this.#counts.get(engine) ?? {};
  }

  /** Those of one stand-in that are kept. */
  of(engine: string): Violation[] {
    return this.list.filter((violation) => violation.engine === engine);
  }

  get kinds(): ViolationKind[] {
    return this.list.map(({ kind }) => kind);
  }
}
