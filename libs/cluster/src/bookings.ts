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

interface Account extends BookedLoad {
  /** Highest values since the last report of the engine. */
  peak: BookedLoad;
  /** What the engine has at work that no booking explains. */
  foreign: BookedLoad;
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
   */
  reconcile(workerId: string, rank: number, reported: BookedLoad): void {
    const account = this.#account(workerId, rank);
    for (const field of fields) {
      account.foreign[field] = Math.max(0, reported[field] - account.peak[field]);
      account.peak[field] = account[field];
    }
  }

  /** Claims on a rank. */
  booked(workerId: string, rank: number): BookedLoad {
    const { prefillTokens, kvBlocks, streams } = this.#accounts.get(name(workerId, rank)) ?? none();
    return { prefillTokens, kvBlocks, streams };
  }

  /** Claims and foreign work together. */
  load(workerId: string, rank: number): BookedLoad {
    const account = this.#accounts.get(name(workerId, rank));
    if (account === undefined) return none();
    return {
      prefillTokens: account.prefillTokens + account.foreign.prefillTokens,
      kvBlocks: account.kvBlocks + account.foreign.kvBlocks,
      streams: account.streams + account.foreign.streams,
    };
  }

  #add(booking: Booking, sign: 1 | -1): void {
    const account = this.#account(booking.workerId, booking.rank);
    for (const field of fields) {
      account[field] += sign * booking[field];
      account.peak[field] = Math.max(account.peak[field], account[field]);
    }
  }

  #account(workerId: string, rank: number): Account {
    const key = name(workerId, rank);
    const known = this.#accounts.get(key);
    if (known !== undefined) return known;
    const account = { ...none(), peak: none(), foreign: none() };
    this.#accounts.set(key, account);
    return account;
  }
}

function name(workerId: string, rank: number): string {
  return `${workerId}/${rank}`;
}
