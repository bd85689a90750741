import { policyNames, type PolicySelection } from '@baton/scheduling';
import {
  a800,
  dynamo,
  nobodyHangsUp,
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
import { letInterrupt } from '../let-interrupt.ts';

const OWN = 'kv-centric';
const FLEET: FleetSize = { prefill: 4, decode: 4 };
const RACKS = { withinBytesPerSec: 100e9, betweenBytesPerSec: 10e9 };
const REQUESTS = 1_500;
const SHARE = 0.7;
/** For choosing the best separate policies, and for comparing these with pairs. */
const CHOOSING_SEEDS = [1, 4, 6] as const;
const SEEDS = [2, 3, 5] as const;
/** With both the first token waits for the handover, as it does on vLLM. */
const ENGINES: readonly EngineCost[] = [{ ...a800(), firstToken: 'decode' }, dynamo];

/**
 * Two racks, conversations whose earlier turns decode workers still hold, answers from a few tokens to thousands: pairs
 * weighed together against the best prefill worker and then the best decode worker by any other policy.
 */
export const jointSuite: Suite = {
  name: 'joint',
  describes: 'prefill and decode chosen together against one after the other, two racks, simulated',
  async run(say, { signal }) {
    const figures: Figure[] = [];
    for (const engine of ENGINES) {
      const decodePolicy = await bestSeparate(engine, say, signal);
      figures.push(...(await compare(engine, decodePolicy, signal)));
    }
    return figures;
  },
};

/** The policy for the decode leg with which choosing one after the other is quickest. */
async function bestSeparate(
  engine: EngineCost,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<string> {
  const means: [string, number][] = [];
  for (const decodePolicy of policyNames) {
    let sumMs = 0;
    for (const seed of CHOOSING_SEEDS) {
      await letInterrupt(signal);
      sumMs += serve(engine, { policy: OWN, decodePolicy }, seed).ttftMeanMs;
    }
    const meanMs = sumMs / CHOOSING_SEEDS.length;
    const name = decodePolicy === OWN ? 'pairs' : `${OWN}+${decodePolicy}`;
    say(`${engine.name}, seeds ${CHOOSING_SEEDS.join(', ')}: ${name} ${meanMs.toFixed(0)} ms`);
    if (decodePolicy !== OWN) means.push([decodePolicy, meanMs]);
  }
  const [best] = means.sort(([, a], [, b]) => a - b);
  if (best === undefined) throw new RangeError('there is no other policy');
  say(`${engine.name}: best of the separate ones is ${OWN}+${best[0]}`);
  return best[0];
}

/** Pairs against the separate choice, with other requests than those by which this one was found. */
async function compare(
  engine: EngineCost,
  decodePolicy: string,
  signal: AbortSignal,
): Promise<Figure[]> {
  const figures: Figure[] = [];
  const gainsMs: number[] = [];
  for (const seed of SEEDS) {
    await letInterrupt(signal);
    const pair = serve(engine, { policy: OWN }, seed);
    const apart = serve(engine, { policy: OWN, decodePolicy }, seed);
    gainsMs.push(apart.ttftMeanMs - pair.ttftMeanMs);
    const compared = (
      name: string,
      unit: string,
      of: (m: SimulationMetrics) => number,
    ): Figure => ({
      ...{ name: `joint.${engine.name}_${name}_seed${seed}`, unit },
      ...{ value: of(pair), baseline: of(apart), ratio: of(pair) / of(apart) },
    });
    figures.push(
      compared('ttft_mean_ms', 'ms', ({ ttftMeanMs }) => ttftMeanMs),
      compared('ttft_p99_ms', 'ms', ({ ttftP99Ms }) => ttftP99Ms),
      compared('moved_gb', 'GB', ({ bytesMoved }) => bytesMoved / 1e9),
    );
  }
  const value = gainsMs.reduce((sum, ms) => sum + ms, 0) / gainsMs.length;
  return [...figures, { name: `joint.${engine.name}_gain_ms`, value, unit: 'ms' }];
}

function serve(cost: EngineCost, selection: PolicySelection, seed: number): SimulationMetrics {
  const make = workloads['multi-turn-chat'];
  const sample = make({ requests: REQUESTS, requestsPerSec: 10, seed });
  const requestsPerSec = workloadRate(sample, cost, FLEET.prefill ?? 0, SHARE);
  const requests = make({ requests: REQUESTS, requestsPerSec, seed });
  const result = simulate(
    {
      ...{ fleet: FLEET, cost, hbmBlocks: 5_859, seed },
      linkBytesPerSec: rackLinks(FLEET, 2, RACKS),
      core: {
        ...selection,
        ...{ queue: 'shortest', seed, linkBytesPerSec: RACKS.withinBytesPerSec },
        ...nobodyHangsUp,
      },
    },
    requests,
  );
  return simulationMetrics(result, {}, 512);
}
