/** Labels of a sample, beside those that all samples of an engine have. */
export type Labels = Readonly<Record<string, string>>;

/** One metric with its samples, as lines of Prometheus' text form. */
export interface MetricFamily {
  lines(common: Labels, createdSec: number): string[];
}

/** What is now, asked when somebody looks. */
export class Gauge implements MetricFamily {
  readonly #name: string;
  readonly #help: string;
  readonly #read: () => readonly { value: number; labels?: Labels }[];

  constructor(
    name: string,
    help: string,
    read: () => readonly { value: number; labels?: Labels }[],
  ) {
    this.#name = name;
    this.#help = help;
    this.#read = read;
  }

  lines(common: Labels): string[] {
    return [
      ...head(this.#name, this.#help, 'gauge'),
      ...this.#read().map(({ value, labels }) =>
        sample(this.#name, { ...common, ...labels }, value),
      ),
    ];
  }
}

/** A count for each value of one label, or one without labels. */
export class Counter implements MetricFamily {
  readonly #name: string;
  readonly #help: string;
  readonly #label: string | undefined;
  readonly #counts: Map<string, number>;
  readonly #hidden: readonly string[];

  constructor(
    name: string,
    help: string,
    by?: { label: string; values: readonly string[] },
    hiddenLabels: readonly string[] = [],
  ) {
    this.#name = name;
    this.#help = help;
    this.#label = by?.label;
    this.#counts = new Map((by?.values ?? ['']).map((value) => [value, 0]));
    this.#hidden = hiddenLabels;
  }

  add(count: number, value = ''): void {
    this.#counts.set(value, (this.#counts.get(value) ?? 0) + count);
  }

  lines(common: Labels, createdSec: number): string[] {
    const shown = Object.entries(common).filter(([label]) => !this.#hidden.includes(label));
    const labelsOf = (value: string): Labels => ({
      ...Object.fromEntries(shown),
      ...(this.#label === undefined ? {} : { [this.#label]: value }),
    });
    const total = `${this.#name}_total`;
    const created = `${this.#name}_created`;
    const entries = [...this.#counts];
    return [
      ...head(total, this.#help, 'counter'),
      ...entries.map(([value, count]) => sample(total, labelsOf(value), count)),
      ...head(created, this.#help, 'gauge'),
      ...entries.map(([value]) => sample(created, labelsOf(value), createdSec)),
    ];
  }
}

export class Histogram implements MetricFamily {
  readonly #name: string;
  readonly #help: string;
  readonly #bounds: readonly number[];
  readonly #counts: number[];
  #sum = 0;
  #count = 0;

  constructor(name: string, help: string, bounds: readonly number[]) {
    this.#name = name;
    this.#help = help;
    this.#bounds = bounds;
    this.#counts = bounds.map(() => 0);
  }

  observe(value: number): void {
    this.#sum += value;
    this.#count += 1;
    const at = this.#bounds.findIndex((bound) => value <= bound);
    if (at >= 0) this.#counts[at] = (this.#counts[at] ?? 0) + 1;
  }

  lines(common: Labels, createdSec: number): string[] {
    const bucket = `${this.#name}_bucket`;
    let below = 0;
    const buckets = this.#bounds.map((bound, i) => {
      below += this.#counts[i] ?? 0;
      return sample(bucket, { ...common, le: pythonFloat(bound) }, below);
    });
    const created = `${this.#name}_created`;
    return [
      ...head(this.#name, this.#help, 'histogram'),
      ...buckets,
      sample(bucket, { ...common, le: '+Inf' }, this.#count),
      sample(`${this.#name}_count`, common, this.#count),
      sample(`${this.#name}_sum`, common, this.#sum),
      ...head(created, this.#help, 'gauge'),
      sample(created, common, createdSec),
    ];
  }
}

/** By which a restart is told from a quiet engine. */
export function processStart(startedSec: number): string[] {
  const name = 'process_start_time_seconds';
  const help = 'Unix time at which the process began.';
  return [...head(name, help, 'gauge'), `${name} ${pythonFloat(startedSec)}`];
}

function head(name: string, help: string, type: string): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}

function sample(name: string, labels: Labels, value: number): string {
  const text = Object.entries(labels)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([label, of]) => `${label}="${of}"`);
  return `${name}{${text.join()}} ${pythonFloat(value)}`;
}

/** As Python's Prometheus client writes numbers: with a point, and from a million on with an exponent. */
function pythonFloat(value: number): string {
  if (Math.abs(value) >= 1e6) {
    const [mantissa = '', exponent = ''] = value.toExponential().split('e+');
    return `${withPoint(mantissa)}e+${exponent.padStart(2, '0')}`;
  }
  return withPoint(String(value));
}

function withPoint(digits: string): string {
  return /^-?\d+$/.test(digits) ? `${digits}.0` : digits;
}
