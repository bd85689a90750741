import { BatonError } from '@baton/kv';
import { policyNames, queueOrders, type PolicySelection } from '@baton/scheduling';
import type { FleetSize, WorkloadName } from '@baton/sim';
import type { ReplaySource } from './replay-source.ts';

export const queueNames = ['immediate', ...queueOrders] as const;
export type QueueName = (typeof queueNames)[number];

/** Of generated requests. */
export const workloadNames = [
  'shared-system-prompts',
  'multi-turn-chat',
  'rag-documents',
  'no-sharing',
] as const satisfies readonly WorkloadName[];

export const defaultWorkers = 8;
/** Of a generated workload. */
export const defaultRequests = 4_000;

/** One policy over the requests. */
export interface ReplayRun {
  /** As given: a policy, or `prefill+decode`. */
  policy: string;
  selection: PolicySelection;
  queue: QueueName;
  /** Whether a longer prefix elsewhere is pulled. */
  pulls: boolean;
}

/** What all runs over the same requests share. */
export interface ReplaySetup {
  source: ReplaySource;
  /** `a800`, `dynamo`, or a JSON file. */
  costModel: string;
  fleet: FleetSize;
  speed: number;
  hbmBlocks: number | undefined;
  dramBlocks: number;
  ssdBlocks: number;
  /** Infinity where moving KV takes no time; undefined for the default. */
  linkBytesPerSec: number | undefined;
  /** Racks that workers are spread over; 1 where all links are the same. */
  racks: number;
  /** Of links between racks; Infinity where moving KV takes no time. */
  linkBetweenBytesPerSec: number | undefined;
  kvBytesPerToken: number | undefined;
  sloTtftMs: number | undefined;
  sloTbtMs: number | undefined;
  seed: number;
}

/** What the command line says of a replay; what is not there has a default or is not wanted. */
export interface SetupFlags {
  trace?: string;
  workload?: string[];
  requests?: number;
  rate?: number;
  prefill?: number;
  decode?: number;
  aggregated?: number;
  speed: number;
  sloTtft?: number;
  sloTbt?: number;
  hbmBlocks?: number;
  dramBlocks: number;
  ssdBlocks: number;
  link?: number;
  racks: number;
  linkBetween?: number;
  kvBytesPerToken?: number;
  costModel: string;
  seed: number;
}

export interface PolicyFlags {
  /** Undefined for all; "all" among them stands for each one. */
  policies: readonly string[] | undefined;
  /** Undefined lets each policy dispatch as it does where it comes from. */
  queue: QueueName | undefined;
  pulls: 'both' | 'on' | 'off';
}

const ALL = 'all';
const OWN = 'kv-centric';
const PULLING = 'mooncake-argmin';

/** @throws BatonError config_invalid that names the policy which is not known */
export function replayRuns({ policies = [ALL], queue, pulls }: PolicyFlags): ReplayRun[] {
  const named = new Set(policies.flatMap((policy) => (policy === ALL ? policyNames : [policy])));
  return [...named].flatMap((policy) => {
    const [prefillPolicy = '', decodePolicy = prefillPolicy, ...others] = policy.split('+');
    for (const name of [prefillPolicy, decodePolicy]) requireKnown(name, policy);
    if (others.length > 0) throw unknown(policy, 'has more than two legs');
    const selection = { policy: prefillPolicy, decodePolicy };
    const run = (isPulling: boolean): ReplayRun => ({
      policy,
      selection: isPulling || prefillPolicy !== OWN ? selection : withoutPulls(selection),
      queue: queue ?? (prefillPolicy === OWN ? 'shortest' : 'immediate'),
      pulls: isPulling,
    });
    if (prefillPolicy !== OWN) return [run(prefillPolicy === PULLING)];
    if (pulls === 'both') return [run(true), run(false)];
    return [run(pulls === 'on')];
  });
}

function withoutPulls(selection: PolicySelection): PolicySelection {
  return { ...selection, policyParameters: { [OWN]: { pulls: 0 } } };
}

function requireKnown(name: string, given: string): void {
  if (policyNames.some((known) => known === name)) return;
  const known = policyNames.join(', ');
  throw unknown(
    given,
    `has no policy "${name}"; known: all, ${known}, or two of them as prefill+decode`,
  );
}

function unknown(given: string, what: string): BatonError {
  return new BatonError('config_invalid', `--policies: "${given}" ${what}.`, {
    details: { field: '--policies' },
  });
}
