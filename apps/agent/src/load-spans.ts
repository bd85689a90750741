import { baton } from '@baton/proto';
import { attributes, spans, startSpan } from '@baton/telemetry';

interface OpenLoad {
  traceparent: string;
  planId: string;
  startedAtMs: number;
  segments: number;
  transferred: number;
  bytes: number;
  /** Why it ended before everything had come. */
  fault: string | undefined;
}

const faults: Readonly<Record<number, string>> = {
  [baton.v1.LoadStatus.LOAD_STATUS_FAILED]: 'kv_transfer_failed',
  [baton.v1.LoadStatus.LOAD_STATUS_TIMEOUT]: 'transfer_stalled',
};

/** Loads under way that are remembered; of more, the oldest gets no span. */
export const MAX_OPEN_LOADS = 4_096;

/** Spans of what an engine without spans of its own loads: overheard on its link, one for each load that names its trace. */
export class LoadSpans {
  readonly #workerId: string;
  readonly #now: () => number;
  readonly #open = new Map<string, OpenLoad>();

  /** @param now the wall clock in milliseconds */
  constructor(workerId: string, now: () => number = Date.now) {
    this.#workerId = workerId;
    this.#now = now;
  }

  asked({ requestId, planId, traceparent }: baton.v1.ILoadRequest): void {
    if (!requestId || !traceparent) return;
    const nothing = { segments: 0, transferred: 0, bytes: 0, fault: undefined };
    const startedAtMs = this.#now();
    const oldest = this.#open.keys().next();
    if (this.#open.size >= MAX_OPEN_LOADS && !oldest.done) this.#open.delete(oldest.value);
    this.#open.set(requestId, { traceparent, planId: planId ?? '', startedAtMs, ...nothing });
  }

  told({ segment, loadEnd }: baton.v1.IAgentMessage): void {
    const load = this.#open.get((segment ?? loadEnd)?.requestId ?? '');
    if (load === undefined) return;
    if (segment) {
      load.segments += 1;
      load.transferred += segment.transferred ? 1 : 0;
      load.bytes += segment.bytes ?? 0;
    } else {
      load.bytes += loadEnd?.tail?.bytes ?? 0;
      load.fault = faults[loadEnd?.status ?? 0];
    }
  }

  /** The engine has copied what it was given. What found nothing is not worth a span. */
  ended(requestId: string): void {
    const load = this.#open.get(requestId);
    if (load === undefined) return;
    this.#open.delete(requestId);
    const { traceparent: parent, startedAtMs: startTimeMs, fault } = load;
    if (load.bytes === 0 && fault === undefined) return;
    const span = startSpan(spans.kvLoad, {
      parent,
      startTimeMs,
      attributes: {
        ...(load.planId !== '' && { [attributes.planId]: load.planId }),
        [attributes.worker]: this.#workerId,
        [attributes.tier]: 'dram',
        [attributes.segments]: load.segments,
        [attributes.transferredSegments]: load.transferred,
        [attributes.bytes]: load.bytes,
        ...(fault !== undefined && { [attributes.errorType]: fault }),
      },
    });
    span.end(this.#now());
  }
}
