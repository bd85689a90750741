import { connectBus } from '@baton/bus';
import type { Bus } from '@baton/bus';
import { baton } from '@baton/proto';
import type { Context } from '@baton/telemetry';
import type { AgentLog } from './agent-log.ts';

export interface BusLinkOptions {
  url: string;
  workerId: string;
  log: AgentLog;
  order(order: baton.v1.TransferOrder, context: Context): baton.v1.ITransferAck;
  snapshot(request: baton.v1.SnapshotRequest): Iterable<baton.v1.ISnapshotChunk>;
  cancel(cancel: baton.v1.CancelPlan): void;
  /** NATS is there, for the first time or again. */
  onConnected(): void;
}

/** How long a start waits for NATS before the agent goes on without it. */
const START_PATIENCE_MS = 1_000;

/** The way to the conductor. Without NATS everything that is published is lost, and the agent goes on. */
export class BusLink {
  readonly #options: BusLinkOptions;
  readonly #ended = new AbortController();
  #bus: Bus | undefined;

  constructor(options: BusLinkOptions) {
    this.#options = options;
  }

  /** Rejects when the address or the credentials are wrong; a server that is not there yet is waited for. */
  async open(): Promise<void> {
    const { url, workerId, log } = this.#options;
    const connecting = connectBus({
      url,
      name: `agent ${workerId}`,
      log,
      signal: this.#ended.signal,
    }).then((bus) => this.#connected(bus));
    const patience = Promise.withResolvers<void>();
    const timer = setTimeout(() => patience.resolve(), START_PATIENCE_MS);
    await Promise.race([connecting, patience.promise]);
    clearTimeout(timer);
    connecting.catch((error: unknown) => {
      if (!this.#ended.signal.aborted) log.error({ event: 'bus_failed', err: error }, 'no NATS');
    });
  }

  publishBeat(beat: baton.v1.IWorkerBeat): void {
    this.#bus?.publishBeat(beat);
  }

  publishDelta(delta: baton.v1.IKvDelta): void {
    this.#bus?.publishDelta(delta);
  }

  publishTransferred(result: baton.v1.ITransferResult): void {
    this.#bus?.publishTransferred(result);
  }

  async close(): Promise<void> {
    this.#ended.abort();
    await this.#bus?.close();
  }

  #connected(bus: Bus): void {
    const { workerId, order, snapshot, cancel, onConnected } = this.#options;
    this.#bus = bus;
    if (this.#ended.signal.aborted) return void bus.close();
    bus.serveTransfers(workerId, order);
    bus.serveSnapshots(workerId, snapshot);
    bus.onCancel(workerId, (message) => cancel(message));
    bus.onStatus((status) => {
      if (status === 'connected') onConnected();
    });
    onConnected();
    return undefined;
  }
}
