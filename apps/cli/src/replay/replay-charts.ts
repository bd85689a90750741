/** Told apart in light and dark, and by most who see colours differently (Paul Tol's "bright"). */
const colours = ['#4477aa', '#ee6677', '#228833', '#ccbb44', '#66ccee', '#aa3377', '#888888'];
const dashes = ['', '7 3', '2 3'];

const WIDTH = 900;
const HEIGHT = 420;
const LEFT = 50;
const RIGHT = 20;
const BOTTOM = 30;
const LEAST_MS = 10;
const BAR = 24;
/** Room for the figure behind a bar, and for each letter of the names before them. */
const FIGURE = 90;
const LETTER = 6.6;
const MOST_LABEL = 450;

export interface Curve {
  name: string;
  /** At equal steps of the share of all requests, ascending; null where they never came. */
  timesMs: readonly (number | null)[];
}

/** Shares of requests over a logarithmic axis of time. */
export function curveChart(title: string, curves: readonly Curve[]): string {
  const most = Math.max(1000, ...curves.flatMap(({ timesMs }) => timesMs.map((time) => time ?? 0)));
  const right = WIDTH - RIGHT;
  const scale = (right - LEFT) / Math.log10(most / LEAST_MS);
  const x = (ms: number): number => LEFT + scale * Math.log10(Math.max(LEAST_MS, ms) / LEAST_MS);
  const y = (share: number): number => HEIGHT - BOTTOM - share * (HEIGHT - BOTTOM - 10);
  const parts: string[] = [];
  for (let ms = LEAST_MS; ms <= most; ms *= 10) {
    const text = ms < 1000 ? `${ms} ms` : `${ms / 1000} s`;
    parts.push(line(x(ms), y(0), x(ms), y(1)), label(x(ms), HEIGHT - 10, text, 'middle'));
  }
  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    parts.push(line(LEFT, y(share), right, y(share)));
    parts.push(label(LEFT - 6, y(share) + 4, `${share * 100} %`, 'end'));
  }
  curves.forEach(({ name, timesMs }, i) => {
    const last = timesMs.length - 1;
    const points = timesMs.flatMap((time, at) =>
      time === null ? [] : [`${x(time).toFixed(1)},${y(at / last).toFixed(1)}`],
    );
    const label = `<title>${escaped(name)}</title>`;
    parts.push(`<polyline ${stroke(i)} points="${points.join(' ')}">${label}</polyline>`);
  });
  const legend = curves.map(({ name }, i) => {
    const swatch = `<svg viewBox="0 0 30 8" aria-hidden="true"><path ${stroke(i)} d="M0 4h30"/></svg>`;
    return `<li>${swatch}${escaped(name)}`;
  });
  return chart(title, HEIGHT, parts, `<ul class="legend">${legend.join('')}</ul>`);
}

export interface Bar {
  name: string;
  value: number;
  text: string;
}

/** One bar for each; a logarithmic one begins at a tenth of the least. */
export function barChart(
  title: string,
  bars: readonly Bar[],
  scale: 'linear' | 'logarithmic',
): string {
  const values = bars.map(({ value }) => value).filter((value) => value > 0);
  const most = Math.max(...values, Number.MIN_VALUE);
  const floor = Math.min(...values) / 10;
  const share = (value: number): number => {
    if (value <= 0) return 0;
    return scale === 'linear' ? value / most : Math.log(value / floor) / Math.log(most / floor);
  };
  const longest = Math.max(0, ...bars.map(({ name }) => name.length));
  const left = Math.min(MOST_LABEL, longest * LETTER + 16);
  const room = WIDTH - left - FIGURE;
  const parts = bars.flatMap(({ name, value, text }, i) => {
    const [top, width] = [i * BAR, share(value) * room];
    const shape = `x="${left.toFixed(1)}" y="${top + 3}" width="${width.toFixed(1)}" height="${BAR - 6}"`;
    return [
      label(left - 8, top + BAR / 2 + 4, name, 'end'),
      `<rect ${shape} fill="${colour(i)}"/>`,
      label(left + width + 6, top + BAR / 2 + 4, text, 'start'),
    ];
  });
  const how = scale === 'linear' ? '' : ' (logarithmic)';
  return chart(`${title}${how}`, bars.length * BAR, parts);
}

function chart(title: string, height: number, parts: readonly string[], below = ''): string {
  const head = `class="chart" viewBox="0 0 ${WIDTH} ${height}" role="img"`;
  const svg = `<svg ${head} aria-label="${escaped(title)}">${parts.join('')}</svg>`;
  return `<figure><figcaption>${escaped(title)}</figcaption>\n${svg}${below}</figure>`;
}

function line(x1: number, y1: number, x2: number, y2: number): string {
  const at = [x1, y1, x2, y2].map((value) => value.toFixed(1));
  return `<path class="grid" d="M${at[0]} ${at[1]}L${at[2]} ${at[3]}"/>`;
}

function label(x: number, y: number, text: string, anchor: 'start' | 'middle' | 'end'): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}">${escaped(text)}</text>`;
}

function colour(i: number): string {
  return colours[i % colours.length] as string;
}

/** All colours with one dash come before the same with the next. */
function stroke(i: number): string {
  const dash = dashes[Math.floor(i / colours.length) % dashes.length] as string;
  return `fill="none" stroke="${colour(i)}" stroke-width="2" stroke-dasharray="${dash}"`;
}

export function escaped(text: string): string {
  const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
  return text.replace(/[&<>"']/g, (sign) => entities[sign] ?? `&#${sign.charCodeAt(0)};`);
}
