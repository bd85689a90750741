import {
  a800,
  nobodyHangsUp,
  simulate,
  simulationMetrics,
  type SimulationMetrics,
} from '@baton/sim';
import type { Figure, Suite } from '../report.ts';
import { requestsOf } from './trace-requests.ts';
import { letInterrupt } from '../let-interrupt.ts';

const SPEED = 2;
const TTFT_MS = 30_000;
const TBT_MS = 20;
const HBM_BLOCKS = 5_859;
const LINK_BYTES_PER_SEC = 100e9;

/** What a promised time between tokens is held against when a request is let in. */
const variants = ['predicted', 'current', 'nothing'] as const;
type Variant = (typeof variants)[number];

/**
 * More requests than the fleet can serve, and two promises: with the decode load that is predicted for when an answer
 * begins, with that of the moment, and without looking at it at all.
 */
export const overloadSuite: Suite = {
  name: 'overload',
  describes: 'two promises at twice the rate of the conversation trace (--trace FILE), simulated',
  async run(say, { signal, trace }) {
    if (trace === undefined) throw new Error('overload needs --trace FILE: the conversation trace');
    const requests = requestsOf(trace);
    const found = new Map<Variant, SimulationMetrics>();
    for (const variant of variants) {
      await letInterrupt(signal);
      const result = simulate(options(variant), requests);
      const metrics = simulationMetrics(result, { ttftMs: TTFT_MS, tbtMs: TBT_MS }, 512);
      found.set(variant, metrics);
      const { requestsWithinSlo, wastedTokens, rejected } = metrics;
      const kept = (100 * requestsWithinSlo).toFixed(2);
      say(`${variant}: ${kept} % keep both, ${wastedTokens} tokens in vain, ${rejected} refused`);
    }
    const compared = (name: string, unit: string, to: Variant, of: Read): Figure => {
      const [ours, other] = [found.get('predicted'), found.get(to)];
      if (ours === undefined || other === undefined) throw new RangeError('a run is missing');
      return { name, unit, value: of(ours), baseline: of(other), ratio: of(ours) / of(other) };
    };
    return [
      compared('overload.goodput_share', '', 'nothing', (m) => m.requestsWithinSlo),
      compared('overload.goodput_share_current', '', 'current', (m) => m.requestsWithinSlo),
      compared('overload.wasted_tokens', 'tokens', 'current', (m) => m.wastedTokens),
      compared('overload.wasted_tokens_nothing', 'tokens', 'nothing', (m) => m.wastedTokens),
    ];
  },
};

type Read = (metrics: SimulationMetrics) => number;

function options(variant: Variant): Parameters<typeof simulate>[0] {
  const tbtMs = variant === 'nothing' ? Infinity : TBT_MS;
  return {
    ...{ fleet: { prefill: 8, decode: 8 }, cost: a800(), speed: SPEED },
    ...{ hbmBlocks: HBM_BLOCKS, linkBytesPerSec: LINK_BYTES_PER_SEC },
    core: {
      slo: { ttftBaseMs: TTFT_MS, ttftPerTokenMs: 0, tbtMs },
      decodeLoad: variant === 'current' ? 'current' : 'predicted',
      ...nobodyHangsUp,
    },
  };
}
