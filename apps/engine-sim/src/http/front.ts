import type { EngineClock } from '../engine/clock.ts';
import type { SimEngine } from '../engine/sim-engine.ts';
import type { StandInSettings } from '../engine-options.ts';
import type { FaultPlan } from '../faults/fault.ts';
import type { ByteTokenizer } from '../model/byte-tokenizer.ts';
import type { ViolationKind } from '../violations.ts';
import type { Adapters } from './adapters.ts';
import type { Dialect } from './dialect.ts';

/** What the HTTP side of a look-alike works with. */
export interface Front {
  settings: StandInSettings;
  engine: SimEngine;
  tokenizer: ByteTokenizer;
  adapters: Adapters;
  clock: EngineClock;
  faults: FaultPlan;
  dialect: Dialect;
  /** Of one configuration of an engine; in every answer. */
  fingerprint: string;
  /** Unix time of the start, seconds. */
  createdSec: number;
  complain: (kind: ViolationKind, detail: string) => void;
  /** Requests that are open now. */
  open: { count: number };
  /** Of the data-parallel rank that takes a request; undefined where there is one. */
  ofRequest?: (body: unknown) => Front;
}
