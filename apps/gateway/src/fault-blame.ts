import { errorEntry, type BatonError } from '@baton/kv';

/** True when the request is to blame: another worker would say the same. */
export function isClientFault(fault: BatonError): boolean {
  const { http, retryable } = errorEntry(fault.code);
  return http >= 400 && http < 500 && !retryable && fault.code !== 'request_aborted';
}
