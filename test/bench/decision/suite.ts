import type { Figure, Suite } from '../report.ts';
import { quantile } from '../statistics.ts';
import { letInterrupt } from '../let-interrupt.ts';
import { BenchFleet, type Step } from './bench-fleet.ts';

const DECISIONS = 4_000;
const WARM_UP = 1_500;
/** Between two requests of a fleet that is not busy. */
const GAP_MS = 50;
const BEAT_EVERY = 20;
const FEW_WAITING = 10;
const MANY_WAITING = 10_000;

/** What one decision costs in the conductor's core: matched, chosen, booked and answered. */
export const decisionSuite: Suite = {
  name: 'decision',
  describes: 'a decision for an 8k-token prompt among 64 workers, against round robin',
  async run(say, { signal }) {
    const figures: Figure[] = [];
    const ours = await withRoom('kv-centric', signal);
    say(`kv-centric: ${describe(ours)}`);
    const plain = await withRoom('round-robin', signal);
    say(`round-robin: ${describe(plain)}`);
    figures.push(against('decision.p50_us', 0.5, ours, plain));
    figures.push(against('decision.p99_us', 0.99, ours, plain));
    const fleet = new BenchFleet('kv-centric');
    const few = await withWaiting(fleet, FEW_WAITING, signal);
    say(`${FEW_WAITING} waiting: ${describe(few)}`);
    const many = await withWaiting(fleet, MANY_WAITING, signal);
    say(`${MANY_WAITING} waiting: ${describe(many)}`);
    figures.push(against('decision.queue_p50_us', 0.5, many, few));
    figures.push(against('decision.queue_p99_us', 0.99, many, few));
    return figures;
  },
};

/** Workers have room: each request is planned as it arrives. */
async function withRoom(policy: string, signal: AbortSignal): Promise<number[]> {
  const fleet = new BenchFleet(policy);
  const times: number[] = [];
  for (let i = 0; i < WARM_UP + DECISIONS; i += 1) {
    if (i % BEAT_EVERY === 0) fleet.beats();
    fleet.nowMs += GAP_MS;
    times.push(...decisions(fleet.arrive()));
    while (fleet.waiting > 0 || i % 2 === 1) if (fleet.endOne() === undefined) break;
    if (i % 100 === 0) await letInterrupt(signal);
  }
  return times.slice(Math.floor((times.length * WARM_UP) / (WARM_UP + DECISIONS)));
}

/** No worker has room: one ends its prefill and is given another, while so many wait. */
async function withWaiting(
  fleet: BenchFleet,
  waiting: number,
  signal: AbortSignal,
): Promise<number[]> {
  while (fleet.waiting < waiting) fleet.arrive();
  const times: number[] = [];
  for (let i = 0; i < WARM_UP + DECISIONS; i += 1) {
    if (i % BEAT_EVERY === 0) fleet.beats();
    const step = fleet.endOne();
    if (step === undefined) throw new Error('nothing runs any more');
    times.push(...decisions(step));
    while (fleet.waiting < waiting) fleet.arrive();
    if (i % 100 === 0) await letInterrupt(signal);
  }
  return times.slice(Math.floor((times.length * WARM_UP) / (WARM_UP + DECISIONS)));
}

/** Microseconds of each of the decisions that were made in one step. */
function decisions({ us, planned }: Step): number[] {
  return new Array<number>(planned).fill(us / planned);
}

function against(name: string, q: number, ours: number[], baseline: number[]): Figure {
  const value = quantile(ours, q);
  const other = quantile(baseline, q);
  return { name, value, unit: 'us', baseline: other, ratio: value / other };
}

function describe(times: readonly number[]): string {
  return `P50 ${quantile(times, 0.5).toFixed(0)} us, P99 ${quantile(times, 0.99).toFixed(0)} us`;
}
