import type { EngineHttp } from '@baton/engine-clients';
import type { baton } from '@baton/proto';
import type { Logger } from '@baton/service';
import type { GatewayConfig } from './config.ts';
import type { LonePrefills } from './legs/lone-prefills.ts';
import type { Standstills } from './legs/standstills.ts';
import type { KeptTurns } from './planning/kept-turns.ts';
import type { FleetView } from './fleet-view.ts';
import type { RequestLog } from './request-log/request-log.ts';

/** The open session with the conductor, as the gateway needs it. */
export interface PlanSession {
  readonly connected: boolean;
  /**
   * A refusal is an answer, too. A plan that arrives after its asker has gone is reported as aborted by the session, so
   * that its bookings do not wait for the lease.
   * @throws BatonError `conductor_unavailable`, `deadline_exceeded`, `request_aborted`, `queue_full`
   */
  plan(
    request: baton.v1.IPlanRequest,
    signal: AbortSignal,
    timeoutMs: number,
  ): Promise<baton.v1.IPlanReply>;
  /** Fire and forget: for a report that is lost there is the plan's lease. */
  report(report: baton.v1.IPlanReport): void;
}

export type Engines = Pick<EngineHttp, 'postJson' | 'postStream'>;

export interface GatewayDeps {
  config: Omit<GatewayConfig, 'conductor' | 'record'>;
  fleet: FleetView;
  session: PlanSession;
  engines: Engines;
  /** What decode workers keep for next turns. */
  turns: KeptTurns;
  lonePrefills: LonePrefills;
  standstills: Pick<Standstills, 'from'>;
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** Undefined where requests are not recorded. */
  requestLog: RequestLog | undefined;
}
