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
 * engine's page only a few of a thousand lines matter, and nothing else is looked at.
 */
export function readSamples(text: string, wanted: ReadonlySet<string>): Map<string, Sample[]> {
  const samples = new Map<string, Sample[]>();
  for (const name of wanted) {
    const found: Sample[] = [];
    for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + name.length)) {
      if (at > 0 && text[at - 1] !== '\n') continue;
      const end = text.indexOf('\n', at);
      const line = text.slice(at, end < 0 ? undefined : end);
      if (line.length > MAX_LINE_CHARS) continue;
      const [, own, labels = '', value = ''] = SAMPLE.exec(line) ?? [];
      if (own === name) found.push({ labels: labelsOf(labels), value: Number(value) });
    }
    if (found.length > 0) samples.set(name, found);
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
