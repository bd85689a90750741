import type { Writable } from 'node:stream';
import { progressBar, progressMilestone } from '../render/progress-bar.ts';
import {
  requestHeader,
  requestLine,
  routeWidthOf,
  type RequestRecord,
} from '../render/request-line.ts';
import { clip, paintFor, printable, type Paint } from '../render/terminal-text.ts';
import type { Severity } from './log-line.ts';

const requestsPerHeader = 20;
/** Of one child, until a second has passed; what is more is counted. */
const noticesPerSecond = 10;
/** What a child says again within this time is not news. */
const sameNoticeMs = 60_000;
const maxKnownNotices = 256;

/** A stream; a terminal has more to say. */
export type Output = Writable & { isTTY?: boolean; columns?: number };

/** Everything that `up` prints, in one place: a progress bar never tears a line. */
export class Screen {
  readonly paint: Paint;
  readonly #out: Output;
  #barShown = false;
  #requests = 0;
  #routeWidth = 0;
  readonly #quarters = new Map<string, number>();
  /** When a notice was last shown, oldest first. */
  readonly #said = new Map<string, number>();
  readonly #notices = new Map<string, { sinceMs: number; count: number }>();

  constructor(out: Output, env: NodeJS.ProcessEnv) {
    this.#out = out;
    this.paint = paintFor(out.isTTY === true, env);
  }

  line(text: string): void {
    this.#clearBar();
    this.#out.write(`${text}\n`);
  }

  progress(label: string, doneBytes: number, totalBytes: number): void {
    if (this.#out.isTTY === true) {
      const bar = progressBar(label, doneBytes, totalBytes);
      this.#out.write(`\r\x1b[2K${clip(bar, (this.#out.columns ?? 80) - 1)}`);
      this.#barShown = true;
      return;
    }
    const shown = this.#quarters.get(label) ?? 0;
    const milestone = progressMilestone(label, doneBytes, totalBytes, shown);
    if (milestone === undefined) return;
    this.#quarters.set(label, milestone.quarters);
    this.line(milestone.text);
  }

  request(request: RequestRecord): void {
    this.#routeWidth = Math.max(this.#routeWidth, routeWidthOf([request]));
    const size = { routeWidth: this.#routeWidth };
    if (this.#requests++ % requestsPerHeader === 0) this.line(requestHeader(this.paint, size));
    this.line(requestLine(request, this.paint, size));
  }

  /** A warning or an error of a child, as long as it does not flood the terminal. */
  notice(name: string, severity: Severity, message: string): void {
    const nowMs = performance.now();
    if (this.#isOldNews(`${name} ${message}`, nowMs)) return;
    let recent = this.#notices.get(name);
    if (recent === undefined || nowMs - recent.sinceMs > 1000) {
      const hidden = (recent?.count ?? 0) - noticesPerSecond;
      if (hidden > 0) this.line(this.paint.dim(`${name}: ${hidden} more lines`));
      recent = { sinceMs: nowMs, count: 0 };
      this.#notices.set(name, recent);
    }
    if (++recent.count > noticesPerSecond) return;
    const colour = severity === 'error' ? this.paint.red : this.paint.yellow;
    this.line(`${colour(`${name}: ${severity}:`)} ${printable(message)}`);
  }

  #isOldNews(text: string, nowMs: number): boolean {
    const saidMs = this.#said.get(text);
    if (saidMs !== undefined && nowMs - saidMs < sameNoticeMs) return true;
    this.#said.delete(text);
    this.#said.set(text, nowMs);
    const [oldest] = this.#said.keys();
    if (oldest !== undefined && this.#said.size > maxKnownNotices) this.#said.delete(oldest);
    return false;
  }

  #clearBar(): void {
    if (!this.#barShown) return;
    this.#barShown = false;
    this.#out.write('\r\x1b[2K');
  }
}
