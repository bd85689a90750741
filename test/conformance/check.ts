/** One thing that was looked at, and whether it is as it has to be. */
export interface Finding {
  what: string;
  /** What was seen, for a reader: a figure, a count, a sentence. */
  seen: string;
  holds: boolean;
}

/** One part of a conformance run, against what `Lab` has started. */
export interface Check<Lab> {
  name: string;
  describes: string;
  run(lab: Lab): Promise<Finding[]>;
}

export function finding(what: string, holds: boolean, seen: string): Finding {
  return { what, seen, holds };
}

/** Rejects when the signal is aborted, and is no unhandled rejection where nobody waits for it. */
export function toldToStop(signal: AbortSignal): Promise<never> {
  const stopped = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('told to stop')), { once: true });
  });
  stopped.catch(() => undefined);
  return stopped;
}
