import type { KvTransfer } from '../engine/kv-transfer.ts';
import type { SimEngine } from '../engine/sim-engine.ts';
import type { NixlSource } from '../nixl/nixl-source.ts';
import { Counter, Gauge, Histogram, type MetricFamily } from './metric-families.ts';

const XFER = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.2, 0.3, 0.5, 0.75, 1, 5];
const POST = [0.001, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.2, 0.3, 0.5, 0.75, 1, 5];
const BYTES = [
  2048, 8192, 32768, 131072, 524288, 2097152, 8388608, 33554432, 134217728, 536870912, 2147483648,
  8589934592,
];
const DESCRIPTORS = [10, 20, 30, 50, 75, 100, 200, 400, 1000, 2000, 4000, 10000, 20000, 50000];
/** Descriptors of a transfer; of a stand-in all blocks lie side by side, as two layers of KV. */
const DESCRIPTORS_OF_ONE = 2;
const MS = 1_000;

/** What NixlConnector counts of the transfers of one engine. */
export class NixlMetrics {
  readonly #xfer = new Histogram('vllm:nixl_xfer_time_seconds', 'Time of a transfer.', XFER);
  readonly #post = new Histogram('vllm:nixl_post_time_seconds', 'Time to start one.', POST);
  readonly #bytes = new Histogram('vllm:nixl_bytes_transferred', 'Bytes of a transfer.', BYTES);
  readonly #descriptors = new Histogram(
    'vllm:nixl_num_descriptors',
    'Descriptors of a transfer.',
    DESCRIPTORS,
  );
  readonly #failed = new Counter('vllm:nixl_num_failed_transfers', 'Transfers that failed.');
  readonly #unsaid = new Counter('vllm:nixl_num_failed_notifications', 'Failed notifications.');

  #source: Pick<NixlSource, 'expired' | 'notificationsAfterExpiry'> | undefined;

  /** Who keeps prompts, where somebody does. */
  countFrom(source: NixlSource): void {
    this.#source = source;
  }

  transferred(transfer: KvTransfer | 'failed'): void {
    if (transfer === 'failed') return this.#failed.add(1);
    this.#xfer.observe(transfer.durationMs / MS);
    this.#post.observe(0);
    this.#bytes.observe(transfer.bytes);
    this.#descriptors.observe(DESCRIPTORS_OF_ONE);
  }

  families(): MetricFamily[] {
    return [
      ...[this.#xfer, this.#post, this.#bytes, this.#descriptors, this.#failed, this.#unsaid],
      counted('vllm:nixl_num_kv_expired_reqs', 'Prompts whose lease ended.', () => {
        return this.#source?.expired ?? 0;
      }),
      counted('vllm:nixl_num_notifications_after_expiry', 'Reads that ended later.', () => {
        return this.#source?.notificationsAfterExpiry ?? 0;
      }),
    ];
  }
}

/** Requests that wait for KV, by how far they are. */
export function fetchStages(engine: SimEngine | undefined): MetricFamily {
  const name = 'vllm:num_requests_kv_fetch_by_stage';
  return new Gauge(name, 'Requests that wait for KV, by stage.', () => {
    const waiting = engine?.scheduler.waiting ?? [];
    const starting = waiting.filter((run) => !run.isRemoteOver).length;
    const arrived = waiting.filter((run) => run.isRemoteOver && run.blocks.length > 0).length;
    return [
      { value: starting, labels: { stage: 'waiting_to_start' } },
      { value: engine?.loading.size ?? 0, labels: { stage: 'in_progress' } },
      { value: arrived, labels: { stage: 'completed_waiting' } },
    ];
  });
}

/** A counter that somebody else counts. */
function counted(name: string, help: string, read: () => number): MetricFamily {
  return {
    lines: (common, createdSec) => {
      const counter = new Counter(name, help);
      counter.add(read());
      return counter.lines(common, createdSec);
    },
  };
}
