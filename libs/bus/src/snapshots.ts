import { setTimeout as sleep } from 'node:timers/promises';
import type { ErrorCode } from '@baton/kv';
import { baton } from '@baton/proto';
import { createInbox, type Msg } from '@nats-io/transport-node';
import type { BusConnection } from './bus-connection.ts';
import { decodeSnapshotChunk, decodeSnapshotRequest } from './messages.ts';
import { subjectOf } from './subjects.ts';

export interface SnapshotOptions {
  /** Longest silence before the first chunk and between two chunks. */
  timeoutMs: number;
  /** Called for each chunk, in order. */
  onChunk: (chunk: baton.v1.SnapshotChunk) => void;
  signal?: AbortSignal;
}

export type SnapshotOutcome = { ok: true; chunks: number } | { ok: false; code: ErrorCode };

/** Chunks of one snapshot, in order; `count` is the same in each. */
export type SnapshotSource = (
  request: baton.v1.SnapshotRequest,
) => Iterable<baton.v1.ISnapshotChunk> | AsyncIterable<baton.v1.ISnapshotChunk>;

const NO_RESPONDERS = 503;
const MAX_SNAPSHOTS_AT_ONCE = 4;
const RETRY_MS = 20;

/** Asks one agent for all that it holds. Resolves in any case; never rejects. */
export function requestSnapshot(
  bus: BusConnection,
  workerId: string,
  request: baton.v1.ISnapshotRequest,
  options: SnapshotOptions,
): Promise<SnapshotOutcome> {
  const subject = subjectOf('snapshot', workerId);
  return new Promise((resolve) => {
    const inbox = createInbox();
    let received = 0;
    const end = (outcome: SnapshotOutcome): void => {
      clearTimeout(timer);
      unsubscribe();
      stopWatching();
      options.signal?.removeEventListener('abort', abort);
      resolve(outcome);
    };
    const fail = (code: ErrorCode): void => end({ ok: false, code });
    const abort = (): void => fail('request_aborted');
    const timer = setTimeout(() => fail('deadline_exceeded'), options.timeoutMs);

    const take = (message: Msg): void => {
      if (message.headers?.code === NO_RESPONDERS) return fail('agent_unavailable');
      const decoded = decodeSnapshotChunk(message.data, workerId);
      if ('fault' in decoded) {
        bus.decodeFailed(subject, decoded.fault);
        return fail('protocol_violation');
      }
      const chunk = decoded.message;
      const isExpected = chunk.snapshotId === (request.snapshotId ?? 0) && chunk.index === received;
      if (!isExpected) return fail('protocol_violation');
      received++;
      timer.refresh();
      try {
        options.onChunk(chunk);
      } catch (error) {
        bus.handlerFailed(subject, error);
        return fail('internal_error');
      }
      if (received === chunk.count) end({ ok: true, chunks: received });
    };
    const unsubscribe = bus.subscribe(inbox, take);
    const stopWatching = bus.onStatus(() => fail('bus_unavailable'));
    options.signal?.addEventListener('abort', abort);
    if (options.signal?.aborted) return abort();
    const payload = baton.v1.SnapshotRequest.encode(request).finish();
    if (!bus.publish(subject, payload, inbox)) fail('bus_unavailable');
  });
}

async function sendChunks(
  bus: BusConnection,
  reply: string,
  chunks: ReturnType<SnapshotSource>,
): Promise<void> {
  const isLost = (): boolean => bus.status() !== 'connected';
  for await (const chunk of chunks) {
    const payload = baton.v1.SnapshotChunk.encode(chunk).finish();
    while (!bus.publish(reply, payload)) {
      if (isLost()) return;
      await bus.flush();
      await sleep(RETRY_MS);
    }
    // One chunk at a time in the server's hands: a large snapshot does not push beats and deltas aside.
    await bus.flush();
    if (isLost()) return;
  }
}

/** Answers snapshot requests of this worker, a few at once; the asker of one too many hears nothing and asks again. */
export function serveSnapshots(
  bus: BusConnection,
  workerId: string,
  source: SnapshotSource,
): () => void {
  const subject = subjectOf('snapshot', workerId);
  let active = 0;
  return bus.subscribe(subject, (message) => {
    const decoded = decodeSnapshotRequest(message.data, workerId);
    if ('fault' in decoded) return bus.decodeFailed(subject, decoded.fault);
    const { reply } = message;
    if (!reply) return bus.decodeFailed(subject, 'there is no reply subject');
    if (active >= MAX_SNAPSHOTS_AT_ONCE) return;
    active++;
    const run = async (): Promise<void> => sendChunks(bus, reply, source(decoded.message));
    run()
      .catch((error: unknown) => bus.handlerFailed(subject, error))
      .finally(() => active--);
  });
}
