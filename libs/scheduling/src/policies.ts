import { BatonError } from '@baton/kv';
import { KvCentric } from './kv-centric/kv-centric.ts';
import { kvCentricDefaults, type KvCentricParameters } from './kv-centric/parameters.ts';
import type { Policy } from './policy.ts';

/** Names of all policies; each has a folder of that name. */
export const policyNames = ['kv-centric'] as const;

/** @throws BatonError config_invalid for a name, a parameter or a value that is not known. */
export function createPolicy(
  name: string,
  parameters: Readonly<Record<string, unknown>> = {},
): Policy {
  if (!policyNames.some((known) => known === name)) {
    throw invalid(`unknown policy "${name}"; known: ${policyNames.join(', ')}`, 'policy');
  }
  const checked: Partial<KvCentricParameters> = {};
  for (const [key, value] of Object.entries(parameters)) {
    const known = (Object.keys(kvCentricDefaults) as (keyof KvCentricParameters)[]).find(
      (parameter) => parameter === key,
    );
    if (known === undefined) throw invalid(`policy ${name} has no parameter "${key}"`, key);
    if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) {
      throw invalid(`parameter "${key}" of policy ${name} must be a number of at least 0`, key);
    }
    if (known.endsWith('PerSec') && value === 0) {
      throw invalid(`parameter "${key}" of policy ${name} must be more than 0`, key);
    }
    checked[known] = value;
  }
  return new KvCentric(checked);
}

function invalid(message: string, field: string): BatonError {
  return new BatonError('config_invalid', message, { details: { field } });
}
