import type { ComputePiece, KvMemory, KvSequence } from './kv-memory.ts';
import type { MeasuredPiece } from './load-meter.ts';

export interface SpeedTrialOptions {
  memory: KvMemory<unknown>;
  vocabSize: number;
  segmentTokens: number;
  /** Longest sequence that the engine takes. */
  maxModelTokens: number;
  nowMs(): number;
  /** Told at most once of each kind: of the fastest step, since whatever disturbs one makes it slower. */
  measured(pieces: readonly MeasuredPiece[], elapsedMs: number): void;
}

/**
 * Steps of a prompt. Larger ones run faster; how many of them fit depends on model and machine. Engines of one machine
 * start at the same time and disturb each other, so the last one is repeated.
 */
const PREFILL_STEPS = [4, 16, 64, 256, 256, 256, 256];
const DECODE_STEPS = 8;
/** After the first one, no step is begun that would end later, going by the fastest one before it. */
const PREFILL_BUDGET_MS = 180;
export const TRIAL_BUDGET_MS = 250;

interface Step {
  kind: MeasuredPiece['kind'];
  tokens: number;
  elapsedMs: number;
}

/**
 * Computes short prompts and a few tokens after one, so that the engine can say how fast it is before anybody has asked
 * it for anything. Nothing of it is cached, told as an event or kept. The very first step finds everything cold: neither
 * its speed nor its time counts.
 */
export function speedTrial(options: SpeedTrialOptions): void {
  const { nowMs, maxModelTokens, measured } = options;
  inSequence(options, (sequence) => compute(options, sequence, 'prefill', 1));
  const startMs = nowMs();
  const sizes = PREFILL_STEPS.filter((tokens) => tokens + DECODE_STEPS < maxModelTokens);
  const prefills = stepsUntil(options, startMs + PREFILL_BUDGET_MS, sizes, (tokens) =>
    inSequence(options, (sequence) => compute(options, sequence, 'prefill', tokens)),
  );
  const decodes = inSequence(options, (sequence) => {
    if (sizes.length === 0 || !compute(options, sequence, 'prefill', 1)) return [];
    const ones = Array.from({ length: DECODE_STEPS }, () => 1);
    return stepsUntil(options, startMs + TRIAL_BUDGET_MS, ones, (tokens) =>
      compute(options, sequence, 'decode', tokens),
    );
  });
  for (const steps of [prefills, decodes ?? []]) {
    const best = fastest(steps);
    if (best) measured([{ kind: best.kind, tokens: { length: best.tokens } }], best.elapsedMs);
  }
}

/** The first step, and those after it of which each is likely to end in time. */
function stepsUntil(
  { nowMs }: SpeedTrialOptions,
  endMs: number,
  sizes: readonly number[],
  run: (tokens: number) => Step | undefined,
): Step[] {
  const steps: Step[] = [];
  for (const tokens of sizes) {
    const best = fastest(steps);
    if (best && nowMs() + (best.elapsedMs * tokens) / best.tokens > endMs) break;
    const step = run(tokens);
    if (step === undefined) break;
    steps.push(step);
  }
  return steps;
}

function fastest(steps: readonly Step[]): Step | undefined {
  const rate = ({ tokens, elapsedMs }: Step): number => tokens / elapsedMs;
  return steps.reduce<Step | undefined>(
    (best, step) => (best === undefined || rate(step) > rate(best) ? step : best),
    undefined,
  );
}

/** Undefined when the memory has no place for a sequence. */
function inSequence<T>(
  { memory }: SpeedTrialOptions,
  use: (sequence: KvSequence) => T,
): T | undefined {
  const sequence = memory.open();
  if (sequence === undefined) return undefined;
  try {
    return use(sequence);
  } finally {
    sequence.release();
  }
}

/** One step as the scheduler would make it; undefined when there is no room for it. */
function compute(
  options: SpeedTrialOptions,
  sequence: KvSequence,
  kind: Step['kind'],
  tokens: number,
): Step | undefined {
  const { memory, segmentTokens, vocabSize, nowMs } = options;
  const end = sequence.length + tokens;
  if (!sequence.reserve(end)) return undefined;
  const pieces: ComputePiece[] = [];
  for (let from = sequence.length, to: number; from < end; from = to) {
    to = Math.min(from - (from % segmentTokens) + segmentTokens, end);
    const ids = Int32Array.from({ length: to - from }, (_, i) => (from + i) % vocabSize);
    pieces.push({ sequence, tokens: ids, from, wantsLogits: to === end });
  }
  const startMs = nowMs();
  memory.compute(pieces);
  return { kind, tokens, elapsedMs: nowMs() - startMs };
}
