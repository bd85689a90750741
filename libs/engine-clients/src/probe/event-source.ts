import type { PublishedEvents } from '@baton/engine-protocols';
import type { KvEventSource } from '../kv-events/subscribe.ts';
import { zmtpAddress } from '../zmtp/zmtp-endpoint.ts';
import type { ProbedEngine } from './probed-engine.ts';

export type Events = Pick<ProbedEngine, 'events' | 'eventsObstacle'>;

/** What endpoints have where others would have a host, when the engine listens on all interfaces. */
const EVERYWHERE = /^tcp:\/\/(\*|\[::\]|::|0\.0\.0\.0)(?=:\d+$)/;

export function noEvents(eventsObstacle: string): Events {
  return { events: undefined, eventsObstacle };
}

/**
 * Where the published events of each rank are for somebody on another machine.
 *
 * @param isBound whether the engine listens at such an endpoint, rather than connecting to it
 */
export function eventsAt(
  engineUrl: string,
  published: readonly PublishedEvents[],
  isBound: (endpoint: string) => boolean,
): Events {
  const elsewhere = published.find(({ endpoint }) => !isBound(endpoint));
  if (elsewhere !== undefined) {
    return noEvents(
      `its KV events go to ${elsewhere.endpoint}, and do not wait to be fetched; give its endpoint as tcp://*:5557`,
    );
  }
  const { hostname } = new URL(engineUrl);
  const at = (place: string): string => {
    const there = place.replace(EVERYWHERE, `tcp://${hostname}`);
    zmtpAddress(there, false);
    return there;
  };
  try {
    const events = published.map(({ endpoint, replayEndpoint, topic }): KvEventSource => ({
      eventsEndpoint: at(endpoint),
      replayEndpoint: replayEndpoint === '' ? undefined : at(replayEndpoint),
      topic,
    }));
    return { events, eventsObstacle: undefined };
  } catch (error) {
    return noEvents((error as Error).message);
  }
}
