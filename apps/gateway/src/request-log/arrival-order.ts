import { Fifo } from '@baton/kv';

/** Of one request, in the order of arrival. */
export interface Place {
  /** On the clock of the caller, ms. */
  readonly atMs: number;
}

export interface ArrivalOrderLimits {
  /** Requests whose place is held. */
  maxPlaces: number;
  /** Of lines that wait for an earlier request to end. */
  maxHeldChars: number;
  /** So long after its arrival nobody waits for a request any more. */
  maxHoldMs: number;
}

/** What gives the line of a request as it would be now; undefined where there is none. Called once. */
type Draft = () => string | undefined;

interface HeldPlace extends Place {
  /** A line is much smaller than what it is made of, which is let go of with the end of the request. */
  content: { draft: Draft } | { line: string | undefined };
}

export interface DueLine {
  atMs: number;
  line: string;
  /** The request goes on: its line says what was true until now. */
  isCut: boolean;
}

/**
 * Puts what is known at the end of requests into the order of their arrival. A line waits for the requests before it, but
 * not for ever and not with too many others: then the first place gives up waiting, and its line is as it stands.
 */
export class ArrivalOrder {
  readonly #limits: ArrivalOrderLimits;
  readonly #places = new Fifo<HeldPlace>();
  #heldChars = 0;

  constructor(limits: ArrivalOrderLimits) {
    this.#limits = limits;
  }

  /** Places that are held. */
  get length(): number {
    return this.#places.length;
  }

  /** Arrivals come in the order of their times. */
  arrive(atMs: number, draft: Draft): Place {
    const place: HeldPlace = { atMs, content: { draft } };
    this.#places.push(place);
    return place;
  }

  /** The request has ended. Only the first call counts, and none after the place has been given up. */
  end(place: Place): void {
    const held = place as HeldPlace;
    if (!('draft' in held.content)) return;
    const line = held.content.draft();
    held.content = { line };
    this.#heldChars += line?.length ?? 0;
  }

  /** Takes the lines that need not wait any longer, the earliest first. */
  due(nowMs: number): DueLine[] {
    const lines: DueLine[] = [];
    for (let first = this.#places.first; first !== undefined; first = this.#places.first) {
      const isCut = 'draft' in first.content;
      if (isCut && !this.#isTooMuch(nowMs - first.atMs)) break;
      this.end(first);
      this.#places.shift();
      const line = 'line' in first.content ? first.content.line : undefined;
      this.#heldChars -= line?.length ?? 0;
      if (line !== undefined) lines.push({ atMs: first.atMs, line, isCut });
    }
    return lines;
  }

  #isTooMuch(heldMs: number): boolean {
    const { maxPlaces, maxHeldChars, maxHoldMs } = this.#limits;
    return heldMs >= maxHoldMs || this.#places.length > maxPlaces || this.#heldChars > maxHeldChars;
  }
}
