import {
  layoutNumber,
  sampleFacts,
  type BookedLoad,
  type Role,
  type WorkerFacts,
} from '@baton/cluster';
import { SegmentIndex } from '@baton/index';
import { KEY_BYTES, rootKey, segmentKeys, Tier } from '@baton/kv';
import { prefillMs } from '../cost/prefill-cost.ts';
import { LinkRates } from '../link-rates.ts';
import { rankName } from '../rank-name.ts';
import type { Choice, Decision, FleetView, PlanQuery, RankView } from '../policy.ts';

export const SEGMENT = 64;

/** 2,000 prompt tokens per second. */
const cost = { fixedMs: 0, perTokenMs: 0.5, perPairMs: 0 };

/** A rank that is idle where nothing else is said; its queue is that of `load.prefillTokens`. */
export function sampleRank(
  workerId: string,
  role: Role = 'prefill',
  changes: Partial<Omit<RankView, 'load' | 'facts'>> & {
    load?: Partial<BookedLoad>;
    facts?: Partial<WorkerFacts>;
  } = {},
): RankView {
  const load = { prefillTokens: 0, kvBlocks: 0, streams: 0, ...changes.load };
  const rank = changes.rank ?? 0;
  const facts = sampleFacts({ workerId, role, ...changes.facts });
  return {
    name: rankName({ workerId, rank }),
    rank,
    state: 'ready',
    reported: undefined,
    queueMs: prefillMs(changes.cost ?? cost, load.prefillTokens, 0),
    hasRoom: true,
    foreign: { prefillTokens: 0, kvBlocks: 0, streams: 0 },
    cost,
    ...changes,
    facts,
    layoutNumber: layoutNumber(facts.layout),
    load,
  };
}

export function sampleFleet(
  ranks: readonly RankView[],
  changes: Partial<FleetView> = {},
): FleetView {
  return { ranks, links: sampleLinks({}), transfersPossible: true, ...changes };
}

/** Measured so often that they are known: milliseconds that a segment takes, by `source>destination`. */
export function sampleLinks(msPerSegment: Readonly<Record<string, number>>): LinkRates {
  const links = new LinkRates({ defaultBytesPerSec: 5e8, maxLinks: 16 });
  const bytes = sampleFacts().layout.segmentBytes;
  for (const [link, ms] of Object.entries(msPerSegment)) {
    const [source = '', destination = ''] = link.split('>');
    for (let i = 0; i < 200; i += 1) links.observe(source, destination, 1e6, (bytes / ms) * 1000);
  }
  return links;
}

/** Worker, tier, where what it holds ends, and where it begins. */
export type HeldSample = [string, Tier, number, number?];

export interface QuerySample {
  promptTokens: number;
  /** Leading segments of the prompt that a worker holds (rank 0), or those from another one on. */
  held?: Readonly<Record<string, number>> | readonly HeldSample[];
  /** Prompts of the same family share their beginning; of others nothing. */
  family?: string;
}

/** Packed keys of the prompt of a family. */
export function sampleKeys(family: string, segments: number): Uint8Array {
  const tokens = Array.from({ length: segments * SEGMENT }, (_, i) => i);
  return segmentKeys(rootKey({ tokenization: family }), tokens, SEGMENT);
}

export function sampleQuery(
  { promptTokens, held = {}, family = 'tok' }: QuerySample,
  changes: Partial<PlanQuery> = {},
): PlanQuery {
  const index = new SegmentIndex({ maxReplicas: 10_000, maxRanks: 100 });
  const holders: readonly HeldSample[] = Array.isArray(held)
    ? (held as HeldSample[])
    : Object.entries(held).map(([workerId, segments]) => [workerId, Tier.HBM, segments as number]);
  const most = Math.max(0, ...holders.map(([, , segments]) => segments));
  const chain = sampleKeys(family, Math.max(most, Math.floor(promptTokens / SEGMENT)));
  for (const [workerId, tier, end, first = 0] of holders) {
    const keys = chain.subarray(first * KEY_BYTES, end * KEY_BYTES);
    index.apply(workerId, { kind: 'store', tier, rank: 0, keys });
  }
  const keys = chain.subarray(0, Math.floor(promptTokens / SEGMENT) * KEY_BYTES);
  return {
    promptTokens,
    maxOutputTokens: 32,
    segmentTokens: SEGMENT,
    segmentKeys: keys,
    match: index.match(keys),
    coming: [],
    excluded: new Set(),
    sessionId: '',
    nowMs: 0,
    ...changes,
  };
}

export function chosen(decision: Decision): Choice {
  if (decision.kind !== 'chosen') throw new Error(`no choice: ${decision.code}`);
  return decision.choice;
}
