/** Priorities of requests go from 0, who is first, to this. */
export const LAST_PRIORITY = 9;
/** Of a request that names none. */
export const DEFAULT_PRIORITY = 5;
