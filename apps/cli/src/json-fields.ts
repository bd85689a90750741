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
