/** Reading JSON of other processes without trusting its shape. */

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Undefined where there is no such field, or no object. */
export function field(value: unknown, key: string): unknown {
  return isObject(value) ? value[key] : undefined;
}

/** Empty for anything but a list. */
export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Empty where there is no such text. */
export function textIn(value: unknown, key: string): string {
  const found = field(value, key);
  return typeof found === 'string' ? found : '';
}

/** 0 where there is no such number. */
export function numberIn(value: unknown, key: string): number {
  const found = field(value, key);
  return typeof found === 'number' && Number.isFinite(found) ? found : 0;
}
