import { readFileSync } from 'node:fs';
import { BatonError } from '@baton/kv';
import type { Credentials } from './engine-access.ts';

/** Files that hold {@link Credentials}. */
export interface CredentialFiles {
  apiKeyFile?: string | undefined;
  caFile?: string | undefined;
}

/** @throws BatonError config_invalid for a file that cannot be read */
export function readCredentials({ apiKeyFile, caFile }: CredentialFiles): Credentials {
  return {
    ...(apiKeyFile !== undefined && { apiKey: textOf('apiKeyFile', apiKeyFile).trim() }),
    ...(caFile !== undefined && { ca: textOf('caFile', caFile) }),
  };
}

function textOf(field: keyof CredentialFiles, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const why = (cause as Error).message;
    throw new BatonError('config_invalid', `${field}: ${why}`, { cause, details: { field } });
  }
}
