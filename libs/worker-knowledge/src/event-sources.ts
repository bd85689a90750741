import { checkKvEventSource, rankEndpoint } from '@baton/engine-clients';
import type { KvEventSource } from '@baton/engine-clients';
import { BatonError } from '@baton/kv';
import type { EventSettings } from './event-settings.ts';

/** What an engine says of where it publishes; empty when it does not. */
export interface SaidEndpoints {
  eventsEndpoint: string;
  replayEndpoint: string;
}

/**
 * Where each rank's KV events come from: as configured, else as the engine says. None when there are no events.
 * @throws BatonError config_invalid when a rank has no endpoint, or one that is none.
 */
export function eventSources(settings: EventSettings, said: SaidEndpoints): KvEventSource[] {
  const { ranks, bind, topic } = settings;
  const events = endpoints('events.endpoints', settings.endpoints, said.eventsEndpoint, ranks);
  const replays = endpoints(
    'events.replayEndpoints',
    settings.replayEndpoints,
    said.replayEndpoint,
    ranks,
  );
  const sources = events.map((eventsEndpoint, rank) => ({
    eventsEndpoint,
    replayEndpoint: replays[rank],
    isBound: bind,
    topic,
  }));
  // Before any of them is followed: one that is wrong must not leave the others open.
  sources.forEach(checkKvEventSource);
  return sources;
}

/** One for each rank, or none at all. */
function endpoints(
  name: string,
  configured: readonly string[],
  said: string,
  ranks: number,
): string[] {
  const [first = said] = configured;
  if (first === '') return [];
  if (configured.length > 1 && configured.length !== ranks) {
    const wanted = `must have one entry, or one for each of ${ranks} ranks`;
    throw new BatonError('config_invalid', `${name} ${wanted}, not ${configured.length}`);
  }
  if (configured.length > 1) return [...configured];
  return Array.from({ length: ranks }, (_, rank) => rankEndpoint(first, rank));
}
