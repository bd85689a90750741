import type { Fields } from '../wire/fields.ts';
import { refusal } from '../wire/refusal.ts';
import { MAX_BLOCK_SIZE, MAX_NAME } from './field-limits.ts';
import { DEFAULT_TENANT, modelNames, saltNames } from './registration-request.ts';

const MAX_LORA_ID = 2 ** 31 - 1;

/** Whose blocks are asked for; the prompt itself stays in the lists of the request. */
export interface QueryScope {
  model: string;
  /** Without one contexts of every block size answer. */
  blockSize: number | undefined;
  tenantId: string;
  loraName: string | undefined;
  cacheSalt: string | undefined;
  additionalSalt: string | undefined;
  instanceId: string | undefined;
}

const scopeFields = [
  'model',
  'model_name',
  'modelname',
  'block_size',
  'tenant_id',
  'lora_name',
  'lora_id',
  'cache_salt',
  ...saltNames,
  'instance_id',
];
export const queryFields: ReadonlySet<string> = new Set([...scopeFields, 'token_ids']);
export const hashListNames = ['seq_hashes', 'block_hashes', 'block_hash'] as const;
export const queryByHashFields: ReadonlySet<string> = new Set([...scopeFields, ...hashListNames]);

/** @throws BatonError of a refusal */
export function readScope(fields: Fields): QueryScope {
  const [first, ...others] = [...modelNames].reverse();
  return {
    model: fields.text([first as string, ...others], MAX_NAME),
    blockSize: fields.optionalInteger(['block_size'], { min: 1, max: MAX_BLOCK_SIZE }),
    tenantId: fields.optionalText(['tenant_id'], MAX_NAME) ?? DEFAULT_TENANT,
    loraName: readLora(fields),
    cacheSalt: fields.optionalText(['cache_salt'], MAX_NAME),
    additionalSalt: fields.optionalText(saltNames, MAX_NAME),
    instanceId: fields.optionalName(['instance_id'], MAX_NAME),
  };
}

/** Engines that give an adapter's number only are found by that number. */
function readLora(fields: Fields): string | undefined {
  const name = fields.optionalText(['lora_name'], MAX_NAME);
  const id = fields.optionalInteger(['lora_id'], { min: 0, max: MAX_LORA_ID });
  if (name !== undefined && id !== undefined) {
    throw refusal('invalid_value', 'give lora_name or lora_id, not both', { field: 'lora_id' });
  }
  return name ?? (id === undefined ? undefined : String(id));
}
