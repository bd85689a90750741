/** The shortest lease; with slow beats it is longer, so that one may be lost. See WorkerBeat. */
export const MIN_LEASE_MS = 3_000;
export const BEATS_PER_LEASE = 3;
/** How often deadlines are looked at. */
export const TICK_MS = 100;

/** An engine links while it loads its model, and serves its API later: how often it is asked for its tokenization. */
export const ASK_ENGINE_MS = 1_000;
/** Between two looks at an engine's LoRA adapters, and longest for the answer. */
export const ADAPTER_LOOK_MS = 1_000;
export const ADAPTER_ANSWER_MS = 2_000;

/** A load for a handover whose order has not come waits this long for it. */
export const HANDOVER_ORDER_WAIT_MS = 5_000;
/** The same for a prefix that the engine was told to expect. */
export const PREFIX_ORDER_WAIT_MS = 1_000;
/** What arrived for a plan stays leased this long when its engine does not ask for it. */
export const ARRIVAL_TTL_MS = 30_000;
/** A handover that nobody has come for, counted from the end of its prefill. */
export const UNCLAIMED_HANDOVER_MS = 4_000;
/** A handover whose puller is gone without having taken the tail: it may come again. */
export const BROKEN_HANDOVER_MS = 1_000;
/** A handover of a prefill that does not end. */
export const HANDOVER_TTL_MS = 600_000;

export const MAX_HANDOVERS = 4_096;
export const MAX_ARRIVALS = 4_096;
export const MAX_LOADS = 4_096;
export const MAX_TRANSFERS = 1_024;
export const MAX_TRANSFER_MS = 600_000;
/** A source that has nothing to send yet says so this often, and several times within what counts as a stall. */
export const MAX_KEEP_ALIVE_MS = 1_000;
export const KEEP_ALIVES_PER_STALL = 4;
/** Plans and transfers that are over and remembered, so that late messages about them are known for what they are. */
export const MAX_REMEMBERED = 8_192;

/** Segments that the engine is asked for at a time. */
export const MAX_EXPORT_SEGMENTS = 64;
export const MAX_EXPORTS = 64;
/** Segments that only the engine's cache holds count as missing when they are not exported in this time. */
export const EXPORT_TIMEOUT_MS = 3_000;

/**
 * After the link to an engine is lost, its pages stay out of use this long: the engine may be alive and be in the
 * middle of a step that reads or writes them.
 */
export const ENGINE_QUARANTINE_MS = 4_000;
/** An arena smaller than this is of no use. */
export const MIN_PAGES = 8;
/** Pages begin at multiples of it. */
export const PAGE_ALIGNMENT = 4_096;
