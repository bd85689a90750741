import { BatonError } from '@baton/kv';
import { KvCentricLeg } from './kv-centric/kv-centric-leg.ts';
import { KvCentric } from './kv-centric/kv-centric.ts';
import { kvCentricParameters } from './kv-centric/parameters.ts';
import { LongestPrefix } from './longest-prefix/longest-prefix.ts';
import { parameterValues, type ParameterTable, type ParameterValues } from './parameters.ts';
import type { LegPolicy, Policy } from './policy.ts';
import type { Random } from './random.ts';
import { RoundRobin } from './round-robin/round-robin.ts';
import { SeparateLegs } from './separate-legs.ts';

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
  ...entry(
    'longest-prefix',
    'the worker that holds most of the prompt',
    {},
    () => new LongestPrefix(),
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
  for (const name of Object.keys(parameters)) entryOf(name, 'policyParameters');
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
