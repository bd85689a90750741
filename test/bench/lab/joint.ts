import { policyNames, type PolicySelection } from '@baton/scheduling';
import {
  a800,
  rackLinks,
  simulate,
  simulationMetrics,
  workloadRate,
  workloads,
  type EngineCost,
  type FleetSize,
  type SimulationMetrics,
} from '@baton/sim';
import type { Figure, Suite } from '../report.ts';

const OWN = 'kv-centric';
const FLEET: FleetSize = { prefill: 4, decode: 4 };
const RACKS = { withinBytesPerSec: 100e9, betweenBytesPerSec: 10e9 };
const REQUESTS = 1_500;
const SHARE = 0.7;
/** The first one is for choosing the best separate policies, the others are for comparing these with pairs. */
const SEEDS = [1, 2, 3] as const;
/** As on vLLM: the first token waits for the handover. */
const COST: EngineCost = { ...a800(), firstToken: 'decode' };

/**
 * Two racks, conversations whose earlier turns decode workers still hold, answers from a few tokens to thousands: pairs
 * weighed together against the best prefill worker and then the best decode worker by any other policy.
 */
export const jointSuite: Suite = {
  name: 'joint',
  describes: 'prefill and decode chosen together against one after the other, two racks, simulated',
  async run(say, { signal }) {
    const [first, ...others] = SEEDS;
    const separate: { decodePolicy: string; ttftMs: number }[] = [];
    for (const decodePolicy of policyNames.filter((name) => name !== OWN)) {
      // A simulation takes seconds, and interrupting has to be possible between two.
      await new Promise(setImmediate);
      signal.throwIfAborted();
      const { ttftMeanMs: ttftMs } = serve({ policy: OWN, decodePolicy }, first);
      say(`seed ${first}: ${OWN}+${decodePolicy} ${ttftMs.toFixed(0)} ms`);
      separate.push({ decodePolicy, ttftMs });
    }
    const [best] = separate.sort((a, b) => a.ttftMs - b.ttftMs);
    if (best === undefined) throw new RangeError('there is no other policy');
    say(`best of the separate ones: ${OWN}+${best.decodePolicy}`);
    const figures: Figure[] = [];
    for (const seed of others) {
      await new Promise(setImmediate);
      signal.throwIfAborted();
      const pair = serve({ policy: OWN }, seed);
      const apart = serve({ policy: OWN, decodePolicy: best.decodePolicy }, seed);
      const compared = (
        name: string,
        unit: string,
        of: (m: SimulationMetrics) => number,
      ): Figure => ({
        ...{ name: `joint.${name}_seed${seed}`, unit, value: of(pair), baseline: of(apart) },
        ratio: of(pair) / of(apart),
      });
      figures.push(
        compared('ttft_mean_ms', 'ms', ({ ttftMeanMs }) => ttftMeanMs),
        compared('ttft_p99_ms', 'ms', ({ ttftP99Ms }) => ttftP99Ms),
        compared('moved_gb', 'GB', ({ bytesMoved }) => bytesMoved / 1e9),
      );
    }
    const means = figures.filter(({ name }) => name.startsWith('joint.ttft_mean'));
    const gained = means.map(({ value, baseline = 0 }) => baseline - value);
    const gainMs = gained.reduce((sum, ms) => sum + ms, 0) / gained.length;
    return [...figures, { name: 'joint.gain_ms', value: gainMs, unit: 'ms' }];
  },
};

function serve(selection: PolicySelection, seed: number): SimulationMetrics {
  const make = workloads['multi-turn-chat'];
  const sample = make({ requests: REQUESTS, requestsPerSec: 10, seed });
  const requestsPerSec = workloadRate(sample, COST, FLEET.prefill ?? 0, SHARE);
  const requests = make({ requests: REQUESTS, requestsPerSec, seed });
  const result = simulate(
    {
      ...{ fleet: FLEET, cost: COST, hbmBlocks: 5_859, seed },
      linkBytesPerSec: rackLinks(FLEET, 2, RACKS),
      core: {
        ...selection,
        ...{ queue: 'shortest', seed, linkBytesPerSec: RACKS.withinBytesPerSec },
        ...{ maxWaitMs: 1e9, maxWaiting: REQUESTS, keptPlans: 1 },
      },
    },
    requests,
  );
  return simulationMetrics(result, {}, 512);
}
