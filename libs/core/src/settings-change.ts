import type { ModelSettings, Slo } from './model-settings.ts';

/** The same, where each thing may be left out: then it goes by what is below. */
export interface OwnSettings extends Partial<Omit<ModelSettings, 'slo'>> {
  slo?: Partial<Slo>;
}

type Change<T> = { [K in keyof T]?: T[K] | null | undefined };

/**
 * A change of settings, as in a JSON merge patch (RFC 7396): what is not named stays as it is, null goes back to the
 * default, and `slo` and `policyParameters` are changed entry by entry in the same way.
 */
export interface SettingsChange extends Change<Omit<ModelSettings, 'slo' | 'policyParameters'>> {
  slo?: Change<Slo> | null | undefined;
  policyParameters?:
    Readonly<Record<string, Readonly<Record<string, unknown>> | null>> | null | undefined;
}

/** Settings with others laid over them. */
export function overlaid(settings: ModelSettings, own: OwnSettings): ModelSettings {
  return patched(settings, own) as unknown as ModelSettings;
}

/** What somebody has of his own, after a change. */
export function changed(own: OwnSettings, change: SettingsChange): OwnSettings {
  return patched(own, change);
}

type Fields = Readonly<Record<string, unknown>>;

function patched(target: object, patch: object): Record<string, unknown> {
  const fields = new Map<string, unknown>(Object.entries(target));
  for (const [name, value] of Object.entries(patch) as [string, unknown][]) {
    if (value === null) fields.delete(name);
    else if (isFields(value)) {
      const before = fields.get(name);
      const inner = patched(isFields(before) ? before : {}, value);
      // An entry in which nothing is set is as good as none.
      if (Object.keys(inner).length > 0) fields.set(name, inner);
      else fields.delete(name);
    } else if (value !== undefined) fields.set(name, value);
  }
  return Object.fromEntries(fields);
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
