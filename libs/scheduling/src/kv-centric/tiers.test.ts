import { sampleFacts, type RankLoad } from '@baton/cluster';
import { Tier } from '@baton/kv';
import { expect, test } from 'vitest';
import type { Choice, PlanQuery, RankView } from '../policy.ts';
import {
  chosen,
  sampleFleet as fleet,
  sampleLinks as links,
  sampleQuery,
  sampleRank as rank,
  SEGMENT,
  type HeldSample,
} from '../testing/fleet-sample.ts';
import { kvCentric, twoPairs, weighed } from '../testing/kv-centric-sample.ts';

const PROMPT_TOKENS = 10 * SEGMENT;
const { segmentBytes } = sampleFacts().layout;
/** Bytes per second at which a segment takes so long. Computing one takes 32 ms. */
const perSegment = (ms: number): number => (segmentBytes / ms) * 1000;
const rates = { dramBytesPerSec: perSegment(1), ssdBytesPerSec: perSegment(10) };

const holding = (...held: HeldSample[]): PlanQuery =>
  sampleQuery({ promptTokens: PROMPT_TOKENS, held });
/** The only one that can prefill. */
const own = (changes: Partial<RankView> = {}): RankView[] => [
  rank('decode', 'decode'),
  rank('own', 'prefill', { reported: changes.reported, queueMs: changes.queueMs ?? 0 }),
];

function prefillOf(
  query: PlanQuery,
  ranks: RankView[],
  parameters = {},
): Choice['prefill'] & { fetchMs: number } {
  const { prefill } = chosen(kvCentric({ ...rates, ...parameters }).decide(query, fleet(ranks)));
  const [first] = weighed(query, ranks, {}, { ...rates, ...parameters });
  return { ...prefill, fetchMs: first?.terms['fetchMs'] ?? NaN };
}

test.each([
  { ms: 31, loaded: 7, fetchMs: 2 + 7 * 31, tokens: SEGMENT },
  { ms: 33, loaded: 0, fetchMs: 2, tokens: 8 * SEGMENT },
])(
  'behind 2 segments in DRAM, $loaded on SSD are loaded where one takes $ms ms',
  ({ ms, loaded, fetchMs, tokens }) => {
    const query = holding(['own', Tier.DRAM, 2], ['own', Tier.SSD, 9]);
    const prefill = prefillOf(query, own(), { ssdBytesPerSec: perSegment(ms) });
    expect(prefill).toMatchObject({
      heldSegments: 2 + loaded,
      loadedSegments: loaded,
      prefillTokens: tokens,
      prefillMs: tokens / 2,
    });
    expect(prefill.fetchMs).toBeCloseTo(fetchMs);
  },
);

test.each([
  ['host memory of the engine as from DRAM', Tier.HOST, 9],
  ['storage of the engine as from SSD', Tier.STORAGE, 90],
])('from %s', (_, tier, fetchMs) => {
  expect(prefillOf(holding(['own', tier, 9]), own()).fetchMs).toBeCloseTo(fetchMs);
});

test('tiers may take turns, and each segment comes from the quickest that has it', () => {
  const query = holding(
    ...([
      ['own', Tier.HBM, 1],
      ['own', Tier.SSD, 4, 1],
      ['own', Tier.DRAM, 6, 3],
      ['own', Tier.HOST, 7, 6],
      ['own', Tier.STORAGE, 9, 6],
    ] as HeldSample[]),
  );
  // On SSD 1 to 3, in DRAM up to 7, of storage the rest; the 4th is on SSD and in DRAM.
  const prefill = prefillOf(query, own());
  expect(prefill).toMatchObject({ heldSegments: 9, loadedSegments: 8 });
  expect(prefill.fetchMs).toBeCloseTo(3 * 10 + 3 * 1 + 2 * 10);
});

test('what a worker measures counts more than the parameters', () => {
  const reported = { dramBytesPerSec: perSegment(2), ssdBytesPerSec: perSegment(20) } as RankLoad;
  const query = holding(['own', Tier.DRAM, 2], ['own', Tier.SSD, 9]);
  expect(prefillOf(query, own({ reported })).fetchMs).toBeCloseTo(2 * 2 + 7 * 20);
  const nothing = { dramBytesPerSec: 0, ssdBytesPerSec: 0 } as RankLoad;
  expect(prefillOf(query, own({ reported: nothing })).fetchMs).toBeCloseTo(2 * 1 + 7 * 10);
});

test.each([
  // A pull takes 4 ms more than its bytes.
  { linkMs: 1, parts: ['pulled 7'], held: 2 },
  { linkMs: 9, parts: ['pulled 7'], held: 2 },
  { linkMs: 11, parts: [], held: 9 },
])(
  'what others hold is pulled instead, where a segment takes $linkMs ms and not 10',
  ({ linkMs, parts, held }) => {
    const ranks = [rank('holder', 'prefill', { queueMs: 45_000 }), ...own()];
    const query = holding(['own', Tier.DRAM, 2], ['own', Tier.SSD, 9], ['holder', Tier.DRAM, 9]);
    const measured = fleet(ranks, { links: links({ 'holder>own': linkMs }) });
    const { prefill, pulls } = chosen(kvCentric(rates).decide(query, measured));
    expect(prefill).toMatchObject({ workerId: 'own', heldSegments: held });
    expect(pulls.map(({ segments }) => `pulled ${segments}`)).toEqual(parts);
  },
);

test('behind what is loaded from SSD the rest is pulled', () => {
  const ranks = [rank('holder', 'prefill', { queueMs: 45_000 }), ...own()];
  const query = holding(['own', Tier.SSD, 5], ['holder', Tier.DRAM, 9, 5]);
  const { prefill, pulls } = chosen(kvCentric(rates).decide(query, fleet(ranks)));
  expect(prefill).toMatchObject({ workerId: 'own', heldSegments: 5, loadedSegments: 5 });
  expect(pulls).toEqual([{ sourceWorker: 'holder', firstSegment: 5, segments: 4 }]);
});

test.each([Tier.SSD, Tier.HOST, Tier.STORAGE])(
  'tier %i is neither pulled from others nor left out of a handover',
  (tier) => {
    const ids = ['decode-1', 'decode-2'];
    const at = (where: Tier, segments: number): HeldSample[] =>
      ids.map((id): HeldSample => [id, where, segments]);
    const inDram = at(Tier.DRAM, 2);
    expect(weighed(holding(...inDram, ...at(tier, 9)), twoPairs())).toEqual(
      weighed(holding(...inDram), twoPairs()),
    );
  },
);
