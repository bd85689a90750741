export interface MatchedText {
  /** What may be shown now. */
  text: string;
  /** The stop string that ended the text; nothing after its start is ever shown. */
  stop?: string;
}

/**
 * Cuts a text stream at the first stop string. The one that is complete first wins, the longer of two that end
 * together, so the result does not depend on how the text was split. A suffix that may still become a stop string is
 * held back.
 */
export class StopMatcher {
  readonly #stops: readonly string[];
  #held = '';
  #stopped: string | undefined;

  constructor(stops: readonly string[]) {
    this.#stops = stops.filter((stop) => stop !== '').sort((a, b) => b.length - a.length);
  }

  push(text: string): MatchedText {
    if (this.#stopped !== undefined) return { text: '', stop: this.#stopped };
    const all = this.#held + text;
    const match = this.#firstMatch(all, this.#held.length);
    if (match) {
      this.#stopped = match.stop;
      this.#held = '';
      return { text: all.slice(0, match.start), stop: match.stop };
    }
    const keep = this.#possiblePrefix(all);
    this.#held = all.slice(all.length - keep);
    return { text: all.slice(0, all.length - keep) };
  }

  /** At the end of the stream: what was held back and is no stop string after all. */
  flush(): string {
    const held = this.#held;
    this.#held = '';
    return held;
  }

  /** Looks at each end from `from` on: no stop string ended before. */
  #firstMatch(text: string, from: number): { start: number; stop: string } | undefined {
    if (this.#stops.length === 0) return undefined;
    for (let end = from + 1; end <= text.length; end += 1) {
      for (const stop of this.#stops) {
        if (text.endsWith(stop, end)) return { start: end - stop.length, stop };
      }
    }
    return undefined;
  }

  /** Length of the longest suffix that begins a stop string. */
  #possiblePrefix(text: string): number {
    const longest = Math.min(text.length, (this.#stops[0]?.length ?? 0) - 1);
    for (let length = longest; length > 0; length -= 1) {
      const suffix = text.slice(text.length - length);
      if (this.#stops.some((stop) => stop.length > length && stop.startsWith(suffix))) {
        return length;
      }
    }
    return 0;
  }
}
