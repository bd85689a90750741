import type { RankTokens } from '../contexts/context.ts';
import type { Publisher } from '../contexts/publisher.ts';

/**
 * Whose documents the answers follow: the API design of Mooncake's conductor branch, the HTTP reference on Mooncake's
 * main branch, or what Dynamo's indexer gives.
 */
export const answerForms = ['mooncake', 'mooncake-main', 'dynamo'] as const;
export type AnswerForm = (typeof answerForms)[number];

/** What a query found, and who was asked. */
export interface QueryFindings {
  tenantId: string;
  /** Every publisher of the contexts that answer. */
  asked: readonly Publisher[];
  found: readonly RankTokens[];
}

interface RankValues {
  rank: number;
  gpu: number;
  cpu: number;
  disk: number;
}

/**
 * The body of an answer to a query. All values are tokens, cumulative from an engine's own cache down to disk. Mooncake
 * lists every instance that was asked, Dynamo those that have something.
 */
export function queryAnswer(form: AnswerForm, findings: QueryFindings): object {
  const instances = byInstance(findings, form !== 'dynamo');
  const warnings = warningsOf(findings.asked);
  switch (form) {
    case 'mooncake':
      return { instances: mapped(instances, branchInstance), ...warnings };
    case 'mooncake-main':
      return Object.fromEntries(
        instances.size === 0 ? [] : [[findings.tenantId, mapped(instances, mainInstance)]],
      );
    case 'dynamo':
      return {
        scores: mapped(instances, (ranks) => perRank(ranks, ({ disk }) => disk)),
        frequencies: [],
        instances: mapped(instances, dynamoInstance),
        ...warnings,
      };
  }
}

function byInstance(
  { asked, found }: QueryFindings,
  includesAll: boolean,
): Map<string, RankValues[]> {
  const instances = new Map<string, RankValues[]>();
  const values = new Map(found.map((tokens) => [tokens.publisher, tokens]));
  const listed = includesAll ? asked : found.map(({ publisher }) => publisher);
  for (const publisher of listed) {
    const { instanceId, dpRank } = publisher.request;
    const { gpu = 0, cpu = 0, disk = 0 } = values.get(publisher) ?? {};
    const ranks = instances.get(instanceId);
    const value = { rank: dpRank, gpu, cpu, disk };
    if (ranks === undefined) instances.set(instanceId, [value]);
    else ranks.push(value);
  }
  return instances;
}

function branchInstance(ranks: readonly RankValues[]): object {
  return {
    longest_matched: most(ranks, 'disk'),
    gpu: most(ranks, 'gpu'),
    cpu: most(ranks, 'cpu'),
    disk: most(ranks, 'disk'),
    dp: perRank(ranks, ({ gpu }) => gpu),
    rank_matches: perRank(ranks, ({ gpu, cpu, disk }) => ({ gpu, cpu, disk })),
  };
}

function mainInstance(ranks: readonly RankValues[]): object {
  return {
    longest_matched: most(ranks, 'disk'),
    GPU: most(ranks, 'gpu'),
    DP: perRank(ranks, ({ gpu }) => gpu),
    CPU: most(ranks, 'cpu'),
    DISK: most(ranks, 'disk'),
  };
}

function dynamoInstance(ranks: readonly RankValues[]): object {
  return {
    longest_matched: most(ranks, 'disk'),
    gpu: most(ranks, 'gpu'),
    dp: perRank(ranks, ({ gpu }) => gpu),
    cpu: most(ranks, 'cpu'),
    disk: most(ranks, 'disk'),
  };
}

/** Publishers whose blocks are missing although they publish, so that nobody takes silence for an empty cache. */
function warningsOf(asked: readonly Publisher[]): object {
  const warnings: object[] = [];
  for (const { request, problem: reason } of asked) {
    if (reason === undefined) continue;
    warnings.push({ instance_id: request.instanceId, dp_rank: request.dpRank, reason });
  }
  return warnings.length === 0 ? {} : { warnings };
}

function most(ranks: readonly RankValues[], tier: 'gpu' | 'cpu' | 'disk'): number {
  return ranks.reduce((max, values) => Math.max(max, values[tier]), 0);
}

function perRank(ranks: readonly RankValues[], value: (ranks: RankValues) => unknown): object {
  return Object.fromEntries(ranks.map((values) => [String(values.rank), value(values)]));
}

/** An object with names that clients chose, whatever these are. */
function mapped(
  instances: ReadonlyMap<string, readonly RankValues[]>,
  answer: (ranks: readonly RankValues[]) => object,
): object {
  return Object.fromEntries([...instances].map(([id, ranks]) => [id, answer(ranks)]));
}
