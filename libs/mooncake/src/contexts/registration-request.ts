import type { Fields } from '../wire/fields.ts';
import { refusal } from '../wire/refusal.ts';
import { quoted } from '../wire/request-body.ts';
import { readEndpoint } from './endpoint.ts';
import { MAX_BLOCK_SIZE, MAX_NAME } from './field-limits.ts';
import { profileEntries, readHashProfile, type HashProfile } from './hash-profile.ts';

export const DEFAULT_TENANT = 'default';

const MAX_RANK = 65_535;

export const publisherTypes = ['vLLM', 'SGLang'] as const;
export type PublisherType = (typeof publisherTypes)[number];

/** What a client says of one publisher of KV events. */
export interface RegistrationRequest {
  endpoint: string;
  replayEndpoint: string | undefined;
  type: PublisherType;
  model: string;
  loraName: string | undefined;
  tenantId: string;
  instanceId: string;
  /** Tokens of a block. */
  blockSize: number;
  dpRank: number;
  cacheGroup: number | undefined;
  additionalSalt: string | undefined;
  hashProfile: HashProfile | undefined;
}

/** The publisher that is meant: its instance, tenant and rank. */
export interface PublisherName {
  instanceId: string;
  tenantId: string;
  dpRank: number;
}

/** How a sentence names it. */
export function publisherText({ instanceId, tenantId, dpRank }: PublisherName): string {
  const tenant = tenantId === DEFAULT_TENANT ? '' : ` of tenant ${quoted(tenantId)}`;
  return `rank ${dpRank} of instance ${quoted(instanceId)}${tenant}`;
}

export const modelNames = ['modelname', 'model_name', 'model'] as const;
export const saltNames = ['additionalsalt', 'additional_salt'] as const;

export const registerFields: ReadonlySet<string> = new Set([
  'endpoint',
  'replay_endpoint',
  'type',
  ...modelNames,
  'lora_name',
  'tenant_id',
  'instance_id',
  'block_size',
  'dp_rank',
  'cache_group',
  ...saltNames,
  'hash_profile',
]);

export const unregisterFields: ReadonlySet<string> = new Set([
  'instance_id',
  'tenant_id',
  'dp_rank',
  'type',
  ...modelNames,
  'lora_name',
  'block_size',
]);

/** @throws BatonError of a refusal */
export function readRegistration(fields: Fields): RegistrationRequest {
  const endpoint = readEndpoint(fields, 'endpoint');
  if (endpoint === undefined) {
    throw refusal('missing', 'endpoint is required', { field: 'endpoint' });
  }
  if (fields.optionalText(['type'], MAX_NAME)?.toLowerCase() === 'mooncake') {
    const message =
      'type must be vLLM or SGLang: the events of a Mooncake store name no tokens and are not read';
    throw refusal('unsupported', message, { field: 'type' });
  }
  return {
    endpoint,
    replayEndpoint: readEndpoint(fields, 'replay_endpoint'),
    type: fields.choice(['type'], publisherTypes, 'vLLM'),
    model: fields.text(modelNames, MAX_NAME),
    loraName: fields.optionalText(['lora_name'], MAX_NAME),
    tenantId: fields.optionalText(['tenant_id'], MAX_NAME) ?? DEFAULT_TENANT,
    instanceId: fields.name(['instance_id'], MAX_NAME),
    blockSize: fields.integer(['block_size'], { min: 1, max: MAX_BLOCK_SIZE }),
    dpRank: fields.optionalInteger(['dp_rank'], { min: 0, max: MAX_RANK }) ?? 0,
    cacheGroup: readCacheGroup(fields),
    additionalSalt: fields.optionalText(saltNames, MAX_NAME),
    hashProfile: readHashProfile(fields),
  };
}

/** What is to be unregistered: all ranks when none is named. @throws BatonError of a refusal */
export function readUnregistration(fields: Fields): {
  instanceId: string;
  tenantId: string;
  dpRank: number | undefined;
} {
  return {
    instanceId: fields.name(['instance_id'], MAX_NAME),
    tenantId: fields.optionalText(['tenant_id'], MAX_NAME) ?? DEFAULT_TENANT,
    dpRank: fields.optionalInteger(['dp_rank'], { min: 0, max: MAX_RANK }),
  };
}

/** Members of a request by the names that clients use, in the order in which they are compared. */
export function describedFields(request: RegistrationRequest): [string, unknown][] {
  return [
    ['endpoint', request.endpoint],
    ['replay_endpoint', request.replayEndpoint],
    ['type', request.type],
    ['modelname', request.model],
    ['lora_name', request.loraName],
    ['block_size', request.blockSize],
    ['cache_group', request.cacheGroup],
    ['additionalsalt', request.additionalSalt],
    ...profileEntries(request.hashProfile).map(profileField),
  ];
}

function profileField([name, value]: readonly [string, unknown]): [string, unknown] {
  return [`hash_profile.${name}`, value];
}

function readCacheGroup(fields: Fields): number | undefined {
  const range = { min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER };
  const group = fields.optionalInteger(['cache_group'], range);
  if (group === undefined || group === 0) return group;
  throw refusal('unsupported', `cache_group must be 0 or null, not ${group}`, {
    field: 'cache_group',
  });
}
