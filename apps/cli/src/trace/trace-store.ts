import type { SpanRecord } from './otlp-json.ts';
import type { RequestRecord } from '../render/request-line.ts';

export interface TraceStoreLimits {
  traces: number;
  spansPerTrace: number;
  /** Over all traces, by an estimate of what a span takes. */
  bytes: number;
  requests: number;
}

const defaultTraceLimits: TraceStoreLimits = {
  traces: 100,
  spansPerTrace: 1000,
  bytes: 32 * 1024 * 1024,
  requests: 100,
};

export interface StoredTrace {
  traceId: string;
  spans: SpanRecord[];
  /** Spans that were not kept because the trace was full. */
  droppedSpans: number;
}

interface Entry extends StoredTrace {
  bytes: number;
  spanIds: Set<string>;
}

/** The latest traces, bounded in number, spans and bytes; the oldest goes first. Also the latest requests. */
export class TraceStore {
  readonly #limits: TraceStoreLimits;
  /** In the order in which traces were first seen. */
  readonly #traces = new Map<string, Entry>();
  readonly #requests: RequestRecord[] = [];
  #bytes = 0;

  constructor(limits: TraceStoreLimits = defaultTraceLimits) {
    this.#limits = limits;
  }

  add(spans: readonly SpanRecord[]): void {
    for (const span of spans) this.#addSpan(span);
    while (this.#traces.size > this.#limits.traces || this.#bytes > this.#limits.bytes) {
      const oldest = this.#traces.values().next().value;
      if (oldest === undefined) return;
      this.#traces.delete(oldest.traceId);
      this.#bytes -= oldest.bytes;
    }
  }

  addRequest(request: RequestRecord): void {
    this.#requests.push(request);
    if (this.#requests.length > this.#limits.requests) this.#requests.shift();
  }

  /** Newest first. */
  requests(): RequestRecord[] {
    return this.#requests.toReversed();
  }

  /** Newest first. */
  traces(): StoredTrace[] {
    return [...this.#traces.values()]
      .reverse()
      .map(({ traceId, spans, droppedSpans }) => ({ traceId, spans, droppedSpans }));
  }

  #addSpan(span: SpanRecord): void {
    let entry = this.#traces.get(span.traceId);
    if (entry === undefined) {
      entry = { traceId: span.traceId, spans: [], droppedSpans: 0, bytes: 0, spanIds: new Set() };
      this.#traces.set(span.traceId, entry);
    }
    // An exporter that got no answer sends again.
    if (entry.spanIds.has(span.spanId)) return;
    if (entry.spans.length >= this.#limits.spansPerTrace) {
      entry.droppedSpans++;
      return;
    }
    const bytes = estimatedBytes(span);
    entry.spans.push(span);
    entry.spanIds.add(span.spanId);
    entry.bytes += bytes;
    this.#bytes += bytes;
  }
}

function estimatedBytes(span: SpanRecord): number {
  return 200 + 2 * JSON.stringify(span).length;
}
