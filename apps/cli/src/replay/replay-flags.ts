import { BatonError } from '@baton/kv';

/** What is wrong with a flag's value. */
function wrong(name: string, mustBe: string, value: string): BatonError {
  return new BatonError(
    'config_invalid',
    `${name} must be ${mustBe}, ${JSON.stringify(value.slice(0, 80))} is not.`,
    { details: { field: name } },
  );
}

/** `30s`, `100ms`, `2min`: milliseconds. */
export function duration(name: string): (text: string) => number {
  const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, min: 60_000 };
  return (text) => {
    const [, number, unit = ''] = /^(\d{1,9}(?:\.\d{1,6})?)\s*(ms|s|min)$/.exec(text) ?? [];
    const ms = Number(number) * (unitMs[unit] ?? Number.NaN);
    if (ms > 0) return ms;
    throw wrong(name, 'a time such as 30s or 100ms', text);
  };
}

/** `100GB/s`, `800Gbit/s`, or `free` (Infinity): bytes per second. */
export function byteRate(name: string): (text: string) => number {
  const prefixes: Readonly<Record<string, number>> = { '': 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12 };
  return (text) => {
    if (text === 'free') return Infinity;
    const pattern = /^(\d{1,9}(?:\.\d{1,6})?)\s*([kMGT]?)(B|bit)\/s$/;
    const [, number, prefix = '', unit] = pattern.exec(text) ?? [];
    const rate = (Number(number) * (prefixes[prefix] ?? Number.NaN)) / (unit === 'bit' ? 8 : 1);
    if (rate > 0) return rate;
    throw wrong(name, 'a rate such as 100GB/s or 400Gbit/s, or "free"', text);
  };
}

/** More than 0 and at most `max`. */
export function positiveNumber(name: string, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,9}(?:\.\d{1,9})?$/.test(text) ? Number(text) : Number.NaN;
    if (value > 0 && value <= max) return value;
    throw wrong(name, `a number of more than 0 and at most ${max}`, text);
  };
}

export function oneOf<const T extends string>(
  name: string,
  known: readonly T[],
): (text: string) => T {
  return (text) => {
    const found = known.find((one) => one === text);
    if (found !== undefined) return found;
    throw wrong(name, `one of ${known.join(', ')}`, text);
  };
}

export function commaList(name: string): (text: string) => string[] {
  return (text) => {
    const items = text.split(',').map((item) => item.trim());
    if (items.every((item) => item !== '')) return items;
    throw wrong(name, 'names with commas between them', text);
  };
}
