import type { JsonObject } from './engine-protocol.ts';

export function asObject(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : undefined;
}

export function objectAt(parent: JsonObject | undefined, field: string): JsonObject | undefined {
  return asObject(parent?.[field]);
}

export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

export function countAt(parent: JsonObject | undefined, field: string): number | undefined {
  const value = parent?.[field];
  return isCount(value) ? value : undefined;
}
