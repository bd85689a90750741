/** Changes of what is held wait this long for company. */
export const DELTA_DELAY_MS = 10;
export const MAX_KEYS_PER_DELTA = 8_192;
export const MAX_KEYS_PER_CHUNK = 8_192;

/** Faults in an engine's KV events are reported at most this often. */
export const EVENT_REPORT_INTERVAL_MS = 10_000;
/** An engine is asked at most this often to empty its cache. */
export const CACHE_RESET_INTERVAL_MS = 60_000;
