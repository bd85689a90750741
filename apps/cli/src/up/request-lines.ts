import type { RequestRecord } from '../render/request-line.ts';

/** More than these wait for no bytes: a busy terminal must not make the conductor busier. */
const maxLookups = 16;

export interface RequestLinesPorts {
  /** Bytes that the transfers of a plan moved; undefined when nobody knows. */
  movedBytes: (planId: string) => Promise<number | undefined>;
  show: (request: RequestRecord) => void;
}

/** Shows finished requests in their order, each with the bytes that moved for it, which the gateway does not see. */
export class RequestLines {
  readonly #ports: RequestLinesPorts;
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;

  constructor(ports: RequestLinesPorts) {
    this.#ports = ports;
  }

  add(request: RequestRecord): void {
    const complete = this.#complete(request);
    this.#last = this.#last.then(async () => this.#ports.show(await complete));
  }

  /** Resolves when everything that was added has been shown. */
  settled(): Promise<void> {
    return this.#last;
  }

  async #complete(request: RequestRecord): Promise<RequestRecord> {
    const { planId, mode, movedBytes } = request;
    const mayHaveMoved = mode === 'disaggregated' || (request.transferredTokens ?? 0) > 0;
    if (movedBytes !== undefined || planId === undefined) return request;
    if (!mayHaveMoved) return { ...request, movedBytes: 0 };
    if (this.#waiting >= maxLookups) return request;
    this.#waiting++;
    try {
      return { ...request, movedBytes: await this.#ports.movedBytes(planId) };
    } catch {
      return request;
    } finally {
      this.#waiting--;
    }
  }
}

/** Sum over the transfers of a plan as the conductor's admin API tells it. */
export function bytesOfPlan(plan: unknown): number | undefined {
  const transfers = (plan as { transfers?: unknown } | undefined)?.transfers;
  if (!Array.isArray(transfers)) return undefined;
  return transfers.reduce<number>((sum, transfer) => {
    const bytes: unknown = (transfer as { bytes?: unknown } | null)?.bytes;
    return sum + (typeof bytes === 'number' ? bytes : 0);
  }, 0);
}
