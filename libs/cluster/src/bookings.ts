/** Load that one plan claims on one rank. */
export interface Booking {
  workerId: string;
  rank: number;
  leg: 'prefill' | 'decode';
  /** Prompt tokens to compute there. */
  prefillTokens: number;
  kvBlocks: number;
  streams: number;
}

export interface BookedLoad {
  prefillTokens: number;
  kvBlocks: number;
  streams: number;
}

/** What one rank has to do, always as of now. */
export interface RankAccount {
  /** Claims of plans. */
  readonly booked: Readonly<BookedLoad>;
  /** What the engine has at work that no plan explains. */
  readonly foreign: Readonly<BookedLoad>;
  /** Both together. */
  readonly load: Readonly<BookedLoad>;
}

interface Account {
  booked: BookedLoad;
  foreign: BookedLoad;
  load: BookedLoad;
  /** Highest claims since the last report of the engine. */
  peak: BookedLoad;
  /** Number of that report. */
  report: number;
}

const none = (): BookedLoad => ({ prefillTokens: 0, kvBlocks: 0, streams: 0 });
const fields = ['prefillTokens', 'kvBlocks', 'streams'] as const;

/**
 * Claims of all live plans. A plan's claims are taken and given back as one; giving back what is
 * not there changes nothing, so sums never go below zero.
 */
export class Bookings {
  readonly #plans = new Map<string, Booking[]>();
  readonly #accounts = new Map<string, Account>();

  /** @throws RangeError when the plan has claims already or a number is negative or no integer. */
  book(planId: string, bookings: readonly Booking[]): void {
    if (this.#plans.has(planId)) throw new RangeError(`plan ${planId} is booked already`);
    for (const booking of bookings) {
      for (const field of fields) {
        if (!Number.isSafeInteger(booking[field]) || booking[field] < 0) {
          throw new RangeError(`booking.${field} must be a non-negative integer`);
        }
      }
    }
    this.#plans.set(
      planId,
      bookings.map((booking) => ({ ...booking })),
    );
    for (const booking of bookings) this.#add(booking, 1);
  }

  /** Gives back everything of a plan. */
  release(planId: string): void {
    for (const booking of this.#plans.get(planId) ?? []) this.#add(booking, -1);
    this.#plans.delete(planId);
  }

  /**
   * The prompt is computed: gives back its prefill tokens everywhere, and all that the prefill leg
   * had.
   */
  prefillDone(planId: string): void {
    const kept: Booking[] = [];
    for (const booking of this.#plans.get(planId) ?? []) {
      this.#add(booking, -1);
      if (booking.leg === 'prefill') continue;
      const rest = { ...booking, prefillTokens: 0 };
      this.#add(rest, 1);
      kept.push(rest);
    }
    if (kept.length > 0) this.#plans.set(planId, kept);
    else this.#plans.delete(planId);
  }

  /** Gives back all claims on a worker that is gone. */
  releaseWorker(workerId: string): void {
    for (const [planId, bookings] of this.#plans) {
      const kept = bookings.filter((booking) => booking.workerId !== workerId);
      if (kept.length === 0) this.#plans.delete(planId);
      else this.#plans.set(planId, kept);
    }
    for (const name of [...this.#accounts.keys()]) {
      if (name.startsWith(`${workerId}/`)) this.#accounts.delete(name);
    }
  }

  /**
   * The engine's own figures. What exceeds the highest claim since the last report was not sent by
   * Baton and counts as load, too; a report that is older than a release is thereby not taken for
   * foreign work.
   *
   * @param report its number, when it may come again: then it says nothing new; 0 for one that is new
   */
  reconcile(workerId: string, rank: number, reported: BookedLoad, report = 0): void {
    const account = this.#accountOf(workerId, rank);
    if (report !== 0 && report === account.report) return;
    account.report = report;
    const { booked, foreign, load, peak } = account;
    for (const field of fields) {
      foreign[field] = Math.max(0, reported[field] - peak[field]);
      peak[field] = booked[field];
      load[field] = booked[field] + foreign[field];
    }
  }

  /** Its figures go on to be true until the worker is released. */
  account(workerId: string, rank: number): RankAccount {
    return this.#accountOf(workerId, rank);
  }

  /** Claims on a rank. */
  booked(workerId: string, rank: number): BookedLoad {
    return { ...(this.#accounts.get(name(workerId, rank))?.booked ?? none()) };
  }

  /** Claims and foreign work together. */
  load(workerId: string, rank: number): BookedLoad {
    return { ...(this.#accounts.get(name(workerId, rank))?.load ?? none()) };
  }

  #add(booking: Booking, sign: 1 | -1): void {
    const { booked, foreign, load, peak } = this.#accountOf(booking.workerId, booking.rank);
    for (const field of fields) {
      booked[field] += sign * booking[field];
      load[field] = booked[field] + foreign[field];
      peak[field] = Math.max(peak[field], booked[field]);
    }
  }

  #accountOf(workerId: string, rank: number): Account {
    const key = name(workerId, rank);
    const known = this.#accounts.get(key);
    if (known !== undefined) return known;
    const account = { booked: none(), foreign: none(), load: none(), peak: none(), report: 0 };
    this.#accounts.set(key, account);
    return account;
  }
}

function name(workerId: string, rank: number): string {
  return `${workerId}/${rank}`;
}
