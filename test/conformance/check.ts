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
