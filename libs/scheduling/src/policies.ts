import { BatonError } from '@baton/kv';
import { ApproxRadix } from './approx-radix/approx-radix.ts';
import { approxRadixParameters } from './approx-radix/parameters.ts';
import { Composite } from './composite/composite.ts';
import { compositeParameters } from './composite/parameters.ts';
import { DynamoCost } from './dynamo-cost/dynamo-cost.ts';
import { dynamoCostParameters } from './dynamo-cost/parameters.ts';
import { HybridOverflow } from './hybrid-overflow/hybrid-overflow.ts';
import { hybridOverflowParameters } from './hybrid-overflow/parameters.ts';
import { KvCentricLeg } from './kv-centric/kv-centric-leg.ts';
import { KvCentric } from './kv-centric/kv-centric.ts';
import { kvCentricParameters } from './kv-centric/parameters.ts';
import { LeastOutstanding } from './least-outstanding/least-outstanding.ts';
import { LeastTokens } from './least-tokens/least-tokens.ts';
import { LlmDScores } from './llm-d-scores/llm-d-scores.ts';
import { llmDScoresParameters } from './llm-d-scores/parameters.ts';
import { LongestPrefix } from './longest-prefix/longest-prefix.ts';
import { MooncakeArgmin } from './mooncake-argmin/mooncake-argmin.ts';
import { mooncakeArgminParameters } from './mooncake-argmin/parameters.ts';
import { MooncakeLocal } from './mooncake-local/mooncake-local.ts';
import { parameterValues, type ParameterTable, type ParameterValues } from './parameters.ts';
import type { LegPolicy, Policy } from './policy.ts';
import { PowerOfTwo } from './power-of-two/power-of-two.ts';
import { prefixAffinityParameters } from './prefix-affinity-p2c/parameters.ts';
import { PrefixAffinityP2c } from './prefix-affinity-p2c/prefix-affinity-p2c.ts';
import { prefixHashParameters } from './prefix-hash/parameters.ts';
import { PrefixHash } from './prefix-hash/prefix-hash.ts';
import { RandomChoice } from './random/random-choice.ts';
import type { Random } from './random.ts';
import { RoundRobin } from './round-robin/round-robin.ts';
import { SeparateLegs } from './separate-legs.ts';
import { sessionParameters } from './session/parameters.ts';
import { SessionAffinity } from './session/session-affinity.ts';

type Given = Readonly<Record<string, unknown>>;

interface PolicyEntry {
  /** One sentence. */
  summary: string;
  parameters: ParameterTable;
  /** @throws BatonError config_invalid for a parameter or a value that is not possible */
  create(given: Given, random: Random): LegPolicy;
}

const entries = {
  ...entry(
    'kv-centric',
    'the pair of workers with the least predicted time to the first token',
    kvCentricParameters,
    (parameters) => new KvCentricLeg(parameters),
  ),
  ...entry('round-robin', 'each worker in its turn', {}, () => new RoundRobin()),
  ...entry('random', 'any worker', {}, (_, random) => new RandomChoice(random)),
  ...entry('least-outstanding', 'the fewest requests', {}, () => new LeastOutstanding()),
  ...entry('least-tokens', 'the fewest tokens to do', {}, () => new LeastTokens()),
  ...entry(
    'power-of-two',
    'the less loaded of two by chance',
    {},
    (_, random) => new PowerOfTwo(random),
  ),
  ...entry(
    'prefix-hash',
    'the owner of the beginning of the prompt on a hash ring, unless it is overloaded',
    prefixHashParameters,
    (parameters) => new PrefixHash(parameters),
  ),
  ...entry(
    'session',
    'the worker where the session was before',
    sessionParameters,
    (parameters) => new SessionAffinity(parameters),
  ),
  ...entry(
    'approx-radix',
    "SGLang's cache_aware: the longest prefix that was sent there, as long as load is even",
    approxRadixParameters,
    (parameters) => new ApproxRadix(parameters),
  ),
  ...entry(
    'prefix-affinity-p2c',
    "Ray Serve's prefix-aware router: the longest prefix that was sent there, or the emptiest tree",
    prefixAffinityParameters,
    (parameters, random) => new PrefixAffinityP2c(parameters, random),
  ),
  ...entry(
    'composite',
    'a weighted sum of reuse and queue',
    compositeParameters,
    (parameters) => new Composite(parameters),
  ),
  ...entry(
    'hybrid-overflow',
    'the owner of the prefix until it has too much to do, then the least loaded',
    hybridOverflowParameters,
    (parameters) => new HybridOverflow(parameters),
  ),
  ...entry(
    'dynamo-cost',
    "the cost function of Dynamo's KV router",
    dynamoCostParameters,
    (parameters, random) => new DynamoCost(parameters, random),
  ),
  ...entry(
    'llm-d-scores',
    "the weighted scores of llm-d's router",
    llmDScoresParameters,
    (parameters, random) => new LlmDScores(parameters, random),
  ),
  ...entry(
    'longest-prefix',
    'the worker that holds most of the prompt',
    {},
    () => new LongestPrefix(),
  ),
  ...entry(
    'mooncake-local',
    'the least predicted time to the first token with what the worker holds itself',
    {},
    () => new MooncakeLocal(),
  ),
  ...entry(
    'mooncake-argmin',
    "the least predicted time by Mooncake's Algorithm 1, with the pull that it triggers",
    mooncakeArgminParameters,
    (parameters) => new MooncakeArgmin(parameters),
  ),
} satisfies Record<string, PolicyEntry>;

export type PolicyName = keyof typeof entries;

/** All policies; each has a folder of that name. */
export const policyEntries: Readonly<Record<PolicyName, PolicyEntry>> = entries;
export const policyNames = Object.keys(entries) as PolicyName[];

/** Which policies choose for a model. */
export interface PolicySelection {
  /** For both legs. */
  policy: string;
  /** Another one for one leg. */
  prefillPolicy?: string | undefined;
  decodePolicy?: string | undefined;
  /** By the policy's name. */
  policyParameters?: Readonly<Record<string, Given>> | undefined;
}

/** @throws BatonError config_invalid for a policy, a parameter or a value that is not possible */
export function createPolicy(selection: PolicySelection, random: Random): Policy {
  const { policy, prefillPolicy = policy, decodePolicy = policy } = selection;
  const parameters = selection.policyParameters ?? {};
  // Those of policies that nobody has chosen yet are checked, too.
  for (const [name, given] of Object.entries(parameters)) {
    parameterValues(name, entryOf(name, 'policyParameters').parameters, given);
  }
  const leg = (name: string, field: string): LegPolicy =>
    entryOf(name, field).create(parameters[name] ?? {}, random);
  const prefill = leg(prefillPolicy, prefillPolicy === policy ? 'policy' : 'prefillPolicy');
  const decode = leg(decodePolicy, decodePolicy === policy ? 'policy' : 'decodePolicy');
  const isJoint = prefillPolicy === 'kv-centric' && decodePolicy === 'kv-centric';
  if (!isJoint) return new SeparateLegs(prefill, decode);
  return new KvCentric(parameterValues(policy, kvCentricParameters, parameters[policy]));
}

function entry<N extends string, T extends ParameterTable>(
  name: N,
  summary: string,
  parameters: T,
  create: (values: ParameterValues<T>, random: Random) => LegPolicy,
): Record<N, PolicyEntry> {
  const made: PolicyEntry = {
    summary,
    parameters,
    create: (given, random) => create(parameterValues(name, parameters, given), random),
  };
  return { [name]: made } as Record<N, PolicyEntry>;
}

function entryOf(name: string, field: string): PolicyEntry {
  const known = policyNames.find((one) => one === name);
  if (known !== undefined) return policyEntries[known];
  const message = `unknown policy "${name}"; known: ${policyNames.join(', ')}`;
  throw new BatonError('config_invalid', message, { details: { field } });
}
