import { printable } from '../render/terminal-text.ts';
import type { TraceStore } from '../trace/trace-store.ts';
import { readLogLine } from '../up/log-line.ts';
import type { Screen } from '../up/screen.ts';

export interface ServeStart {
  engines: number;
  /** Of these, when all had been looked at. */
  serving: number;
  gatewayUrl: string;
  conductorUrl: string;
  /** The engines are in this process and end with it. */
  areStandIns?: boolean | undefined;
  /** Where agents may come; their spans go there. */
  agents?: { traceEndpoint: string } | undefined;
}

/** What `baton serve` prints: where it is, each engine as it is found, each request as it ends. */
export class ServeLines {
  readonly #screen: Screen;
  readonly #store: TraceStore;
  readonly #verbose: boolean;

  constructor(screen: Screen, store: TraceStore, verbose: boolean) {
    this.#screen = screen;
    this.#store = store;
    this.#verbose = verbose;
  }

  ready(start: ServeStart): void {
    const { engines, serving, gatewayUrl, conductorUrl, areStandIns, agents } = start;
    const { paint } = this.#screen;
    const row = (name: string, text: string): string => `  ${name.padEnd(23)}${text}`;
    const listed = engines === 1 ? 'one engine' : `${engines} engines`;
    const coming = engines === 0 ? 'engines whose agents come' : `${listed}, and of those to come`;
    const lines = [
      '',
      paint.bold(`Baton stands in front of ${agents === undefined ? listed : coming}`),
      ...(serving < engines
        ? [
            paint.yellow(
              `${engines - serving} of them cannot be served now; they are looked at again.`,
            ),
          ]
        : []),
      '',
      row('OpenAI API', `${gatewayUrl}/v1`),
      row('conductor', `${conductorUrl}  (/workers /plans /index /metrics)`),
      ...(agents === undefined ? [] : [row('spans of agents', agents.traceEndpoint)]),
      '',
      row('npx baton trace last', 'the last request as a tree'),
      row('npx baton explain', 'why it went where it went'),
      row('npx baton top', 'workers, load and what they hold, live'),
      ...(agents === undefined ? [] : [row('npx baton status', 'who has come')]),
      row('Ctrl-C', `stops ${areStandIns === true ? 'everything' : 'Baton; the engines go on'}`),
      '',
    ];
    for (const line of lines) this.#screen.line(line);
  }

  stopping(): void {
    this.#screen.line(this.#screen.paint.dim('Stopping …'));
  }

  /** A line of the log, with its end. */
  log(text: string): void {
    if (this.#verbose) this.#screen.line(printable(text.trimEnd()));
    const news = engineFound(text) ?? podNews(text);
    if (news !== undefined) return this.#screen.line(`  ${printable(news)}`);
    const line = readLogLine(text);
    if (line.kind === 'request') {
      this.#store.addRequest(line.request);
      this.#screen.request(line.request);
    } else if (line.kind === 'notice') {
      this.#screen.notice('serve', line.severity, line.message);
    }
  }
}

/** `10-0-0-1-8000: vllm 0.32.0 with tiny, index exact`; undefined for another line. */
function engineFound(text: string): string | undefined {
  if (!text.includes('"engine_found"')) return undefined;
  const { workerId, engine, version, model, index, connector, why } = JSON.parse(text) as Record<
    string,
    string | undefined
  >;
  const moves = connector === '' ? '' : `, ${connector} hands KV over`;
  const because = why === undefined ? '' : `: ${why}`;
  return `${workerId}: ${engine} ${version} with ${model}${moves}, index ${index}${because}`;
}

/** `vllm-0 gets nothing new: it is being deleted`; undefined for another line. */
function podNews(text: string): string | undefined {
  if (!/"event":"pod_(gone|paused|resumed)"/.test(text)) return undefined;
  return (JSON.parse(text) as { msg?: string }).msg;
}
