import { BatonError } from '@baton/kv';

/** One number that changes what a policy does. */
export interface Parameter {
  /** Its default. */
  value: number;
  /** Bounds of what may be set; at least 0 where nothing is said. */
  atLeast?: number;
  above?: number;
  atMost?: number;
  meaning: string;
  /** Where the default comes from: `own`, or a peer's setting by name and version. */
  source: string;
}

export type ParameterTable = Readonly<Record<string, Parameter>>;
export type ParameterValues<T extends ParameterTable> = { readonly [K in keyof T]: number };

/**
 * The values of all parameters of a table.
 *
 * @throws BatonError config_invalid for a parameter or a value that is not possible
 */
export function parameterValues<T extends ParameterTable>(
  policy: string,
  table: T,
  given: Readonly<Record<string, unknown>> = {},
): ParameterValues<T> {
  for (const [name, value] of Object.entries(given)) {
    const parameter = Object.hasOwn(table, name) ? table[name] : undefined;
    if (parameter === undefined) {
      const known = Object.keys(table).join(', ') || 'it has none';
      throw invalid(`policy ${policy} has no parameter "${name}"; known: ${known}`, name);
    }
    const problem = problemOf(parameter, value);
    if (problem !== undefined) {
      throw invalid(`parameter "${name}" of policy ${policy} must be ${problem}`, name);
    }
  }
  return { ...defaultsOf(table), ...given };
}

export function defaultsOf<T extends ParameterTable>(table: T): ParameterValues<T> {
  const values = Object.entries(table).map(([name, { value }]) => [name, value]);
  return Object.fromEntries(values) as ParameterValues<T>;
}

function problemOf(parameter: Parameter, value: unknown): string | undefined {
  const { above, atMost = Infinity } = parameter;
  const atLeast = parameter.atLeast ?? (above === undefined ? 0 : -Infinity);
  const lower = above === undefined ? `of at least ${atLeast}` : `of more than ${above}`;
  const words = `a number ${lower}${atMost === Infinity ? '' : ` and at most ${atMost}`}`;
  // Infinity switches a threshold off.
  const isNumber = typeof value === 'number' && !Number.isNaN(value);
  const isFine =
    isNumber && value >= atLeast && value <= atMost && (above === undefined || value > above);
  return isFine ? undefined : words;
}

function invalid(message: string, field: string): BatonError {
  return new BatonError('config_invalid', message, { details: { field } });
}
