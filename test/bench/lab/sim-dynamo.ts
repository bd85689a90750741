import { dynamo, nobodyHangsUp, simulate, simulationMetrics } from '@baton/sim';
import type { FleetSize, SimulationMetrics, TraceRequest } from '@baton/sim';
import type { Figure, Suite } from '../report.ts';
import { requestsOf } from './trace-requests.ts';
import { letInterrupt } from '../let-interrupt.ts';

/** Mean times to the first token that Dynamo 1.6.1's own replay of Mooncake's conversation trace gives, ms. */
interface PeerRun {
  fleet: FleetSize;
  speed: number;
  roundRobinMs: number;
  kvMs: number;
}

const AGGREGATED: FleetSize = { aggregated: 16 };
const APART: FleetSize = { prefill: 8, decode: 8 };
/** `run_mocker_trace_replay`: blocks of 64, 16,384 of them in each worker, everything else as it is by default. */
const peerRuns: readonly PeerRun[] = [
  { fleet: AGGREGATED, speed: 1, roundRobinMs: 241, kvMs: 191 },
  { fleet: AGGREGATED, speed: 4, roundRobinMs: 281, kvMs: 272 },
  { fleet: AGGREGATED, speed: 8, roundRobinMs: 410, kvMs: 340 },
  { fleet: APART, speed: 1, roundRobinMs: 319, kvMs: 238 },
  { fleet: APART, speed: 4, roundRobinMs: 413, kvMs: 258 },
  { fleet: APART, speed: 8, roundRobinMs: 1_070, kvMs: 372 },
];
/** 16,384 blocks of 64 tokens. */
const HBM_BLOCKS = 2_048;
const CLOSE = 0.1;

/** The simulator with Dynamo's engine and two of its policies, against what Dynamo's own simulator says. */
export const simDynamoSuite: Suite = {
  name: 'sim-dynamo',
  describes: "the simulator against Dynamo's own replay of the conversation trace (--trace FILE)",
  async run(say, { signal, trace }) {
    if (trace === undefined)
      throw new Error('sim-dynamo needs --trace FILE: the conversation trace');
    const requests = requestsOf(trace);
    const figures: Figure[] = [];
    for (const { fleet, speed, roundRobinMs, kvMs } of peerRuns) {
      for (const [policy, baseline] of [
        ['round-robin', roundRobinMs],
        ['dynamo-cost', kvMs],
      ] as const) {
        await letInterrupt(signal);
        const value = replay(requests, fleet, speed, policy).ttftMeanMs;
        const name = `sim-dynamo.${fleet.aggregated === undefined ? '8+8' : '16'}_x${speed}_${policy}_ms`;
        const ratio = value / baseline;
        figures.push({ name, value, unit: 'ms', baseline, ratio });
        const far = Math.abs(ratio - 1) > CLOSE ? ', beyond 10 %' : '';
        say(`${name}: ${value.toFixed(0)}, Dynamo ${baseline}: ${ratio.toFixed(3)}${far}`);
      }
    }
    const off = figures.map(({ ratio = 1 }) => Math.abs(ratio - 1));
    return [...figures, { name: 'sim-dynamo.furthest_share', value: Math.max(...off), unit: '' }];
  },
};

/** Nothing is late and moving KV is free, as in Dynamo's replay. */
function replay(
  requests: readonly TraceRequest[],
  fleet: FleetSize,
  speed: number,
  policy: string,
): SimulationMetrics {
  const result = simulate(
    {
      ...{ fleet, speed, cost: dynamo, hbmBlocks: HBM_BLOCKS, linkBytesPerSec: Infinity },
      ...{ dispatchMs: 0, eventDelayMs: 0 },
      core: {
        ...{ policy, queue: 'immediate', dispatchDelayMs: 0 },
        ...nobodyHangsUp,
      },
    },
    requests,
  );
  return simulationMetrics(result, {}, 512);
}
