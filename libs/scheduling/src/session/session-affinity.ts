import { HashRing, ringPosition } from '../hash-ring.ts';
import { LeastOutstanding } from '../least-outstanding/least-outstanding.ts';
import type { Leg, LegPick, LegPolicy, PlacedRank, PlanQuery, RankView } from '../policy.ts';
import { isRankOf, rankName } from '../rank-name.ts';
import type { SessionParameters } from './parameters.ts';

interface Binding {
  name: string;
  lastUsedMs: number;
}

/** The rank where the client's session was before; a new session where a hash ring puts it. */
export class SessionAffinity implements LegPolicy {
  readonly name = 'session';
  readonly #parameters: SessionParameters;
  readonly #ring: HashRing;
  readonly #withoutSession = new LeastOutstanding();
  /** By session, the one that is quiet for longest first. */
  readonly #bindings = new Map<string, Binding>();

  constructor(parameters: SessionParameters) {
    this.#parameters = parameters;
    this.#ring = new HashRing(parameters.virtualNodes);
  }

  pick(query: PlanQuery, leg: Leg, ranks: readonly RankView[]): LegPick {
    if (query.sessionId === '') {
      const reason = 'no session is named: fewest requests';
      return { ...this.#withoutSession.pick(query, leg, ranks), reason };
    }
    const names = ranks.map(({ name }) => name);
    this.#ring.add(names);
    const bound = names.indexOf(this.#boundTo(query) ?? '');
    const index = bound >= 0 ? bound : this.#fromRing(query.sessionId, names);
    const scores = ranks.map((rank, i) => ({
      terms: { isOwner: i === index ? 1 : 0, requests: rank.load.streams },
      cost: i === index ? -1 : 0,
    }));
    return { index, scores, reason: bound >= 0 ? 'where the session was' : 'by the hash ring' };
  }

  placed({ sessionId, nowMs }: PlanQuery, rank: PlacedRank): void {
    if (sessionId === '') return;
    this.#bindings.delete(sessionId);
    this.#bindings.set(sessionId, { name: rankName(rank), lastUsedMs: nowMs });
    for (const [oldest, { lastUsedMs }] of this.#bindings) {
      const isIdle = nowMs - lastUsedMs > this.#parameters.idleMs;
      if (!isIdle && this.#bindings.size <= this.#parameters.maxSessions) break;
      this.#bindings.delete(oldest);
    }
  }

  /** Its sessions move on with their next request. */
  forgetWorker(workerId: string): void {
    this.#ring.remove((name) => isRankOf(workerId, name));
  }

  #boundTo({ sessionId, nowMs }: PlanQuery): string | undefined {
    const binding = this.#bindings.get(sessionId);
    if (binding === undefined || nowMs - binding.lastUsedMs > this.#parameters.idleMs) {
      return undefined;
    }
    return binding.name;
  }

  #fromRing(sessionId: string, names: readonly string[]): number {
    const owner = this.#ring.next(ringPosition(sessionId), (name) => names.includes(name));
    return Math.max(0, names.indexOf(owner ?? ''));
  }
}
