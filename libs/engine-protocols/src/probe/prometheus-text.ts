/** One sample of a scrape: its labels, and its value. */
export interface Sample {
  labels: Readonly<Record<string, string>>;
  value: number;
}

const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})?[ \t]+(\S+)/;
/** A longer line is no sample that is wanted; reading labels in it could take minutes. */
const MAX_LINE_CHARS = 16_384;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"/g;
const ESCAPED: Readonly<Record<string, string>> = { n: '\n', '"': '"', '\\': '\\' };

/**
 * Samples of Prometheus' text format by their names, those that are wanted. What is no sample is passed over: of an
 * engine's page only a few lines matter.
 */
export function readSamples(text: string, wanted: ReadonlySet<string>): Map<string, Sample[]> {
  const samples = new Map<string, Sample[]>();
  for (const line of text.split('\n')) {
    if (line.length > MAX_LINE_CHARS) continue;
    const [, name = '', labels = '', value = ''] = SAMPLE.exec(line) ?? [];
    if (!wanted.has(name)) continue;
    const sample = { labels: labelsOf(labels), value: Number(value) };
    const known = samples.get(name);
    if (known === undefined) samples.set(name, [sample]);
    else known.push(sample);
  }
  return samples;
}

function labelsOf(text: string): Record<string, string> {
  const labels: [string, string][] = [];
  for (const [, name = '', value = ''] of text.matchAll(LABEL)) {
    labels.push([name, value.replace(/\\(.)/g, (_, char: string) => ESCAPED[char] ?? char)]);
  }
  return Object.fromEntries(labels);
}
