/** One engine's events that are to be followed. */
export interface EventSource {
  /** Whose they are, for the log. */
  publisher: string;
  endpoint: string;
  replayEndpoint: string | undefined;
  /** The next payload, each once and in order; it may be gone after the call. Empty: it was too large to come. */
  onPayload(payload: Uint8Array): void;
  /** What was told before is void: the engine has restarted, or events are lost for good. */
  onReset(): void;
}

export interface EventFeedCounters {
  batches: number;
  /** Times that batches were missing when they were due, whether a replay had them or not. */
  gaps: number;
  /** Batches that came by replay. */
  replayed: number;
  /** Times that everything had to be forgotten, and those among them that were restarts of the engine. */
  resets: number;
  restarts: number;
  /** Messages that are no batches of events. */
  unreadable: number;
}

/** A subscription that runs. */
export interface EventFeed {
  readonly counters: Readonly<EventFeedCounters>;
  /** Why nothing can come now; undefined while the engine can be heard. */
  readonly fault: string | undefined;
  /** Ends it; nothing is told after that. */
  close(): void;
}

/**
 * Subscribes to an engine.
 *
 * @throws BatonError config_invalid for an endpoint that cannot be used; `details.field` is `endpoint` or
 *   `replay_endpoint`
 */
export type OpenEventFeed = (source: EventSource) => EventFeed;
