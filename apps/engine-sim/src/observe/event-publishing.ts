import { EventPublisher } from '@baton/kv-events';
import type { FaultPlan } from '../faults/fault.ts';
import type { Endpoints } from '../stand-in.ts';

/** As vLLM's configuration of KV events has them. */
export const eventLimits = { bufferSteps: 10_000, highWaterMark: 100_000 };
const BUFFER_BYTES = 64 * 1024 * 1024;
/** Ports that have to follow one another are looked for so often. */
const PORT_TRIES = 50;

export interface PublishingOptions {
  settings: { host: string; eventsPort: number; replayPort: number };
  /** Of the life before, to be taken again. */
  earlier: Endpoints | undefined;
  ranks?: number;
  /** Whether answers of a replay have the topic. */
  replaysTopic?: boolean;
}

/** A publisher for each data-parallel rank; ports count up from those of the first. @throws Error when one is taken */
export async function openPublishers(options: PublishingOptions): Promise<EventPublisher[]> {
  const { settings, earlier, ranks = 1 } = options;
  const isFixed = earlier !== undefined || settings.eventsPort !== 0 || settings.replayPort !== 0;
  for (let tries = 1; ; tries += 1) {
    const opened: EventPublisher[] = [];
    try {
      for (let rank = 0; rank < ranks; rank += 1) {
        opened.push(await openPublisher(options, opened[0], rank));
      }
      return opened;
    } catch (error) {
      await Promise.all(opened.map((publisher) => publisher.close()));
      if (isFixed || tries === PORT_TRIES) throw error;
    }
  }
}

function openPublisher(
  { settings, earlier, replaysTopic }: PublishingOptions,
  first: EventPublisher | undefined,
  rank: number,
): Promise<EventPublisher> {
  const { host, eventsPort, replayPort } = settings;
  const at = (port: number): string => `tcp://${host}:${port === 0 ? '*' : port}`;
  return EventPublisher.open({
    endpoint: ofRank(first?.endpoint ?? earlier?.events ?? at(eventsPort), rank),
    replayEndpoint: ofRank(first?.replayEndpoint ?? earlier?.replay ?? at(replayPort), rank),
    ...eventLimits,
    bufferBytes: BUFFER_BYTES,
    ...(replaysTopic !== undefined && { replaysTopic }),
  });
}

function ofRank(endpoint: string, rank: number): string {
  return rank === 0 ? endpoint : endpoint.replace(/\d+$/, (port) => String(Number(port) + rank));
}

/** Sends a batch, unless it is to be lost, or sent twice. */
export function publishBatch(
  publisher: EventPublisher | undefined,
  faults: FaultPlan,
  batch: Uint8Array,
): void {
  const fault = faults.take(['lose_events', 'repeat_events']);
  const times = fault === undefined ? 1 : fault.kind === 'lose_events' ? 0 : 2;
  publisher?.publish(batch, times);
}

/** Where it binds, as in the configuration of an engine: on every interface. */
export function everywhere(endpoint: string): string {
  return endpoint.replace(/^tcp:\/\/[^:]+:/, 'tcp://*:');
}
