import { EngineHttp } from '@baton/engine-clients';
import { batonProtocol } from '@baton/engine-protocols';
import { expect } from 'vitest';
import { gatewayConfigSchema, type TimeLimits } from '../config.ts';
import { FleetView } from '../fleet-view.ts';
import { startGateway, type Gateway } from '../gateway.ts';
import type { GatewayDeps } from '../ports.ts';
import { EngineStandIn, Handovers, type StandInOptions } from './engine-stand-in.ts';
import { SessionStandIn } from './session-stand-in.ts';

export const MODEL = 'stand-in';
const SETTLE_MS = 5_000;

export interface TestFleetOptions {
  prefill?: number;
  decode?: number;
  engine?: Partial<StandInOptions>;
  timeLimits?: Partial<TimeLimits>;
  config?: Partial<GatewayDeps['config']>;
  maxModelTokens?: number;
}

/** A gateway on a real port before stand-in engines and a stand-in conductor. */
export interface TestFleet {
  url: string;
  gateway: Gateway;
  deps: GatewayDeps;
  session: SessionStandIn;
  prefill: EngineStandIn[];
  decode: EngineStandIn[];
  engines: EngineStandIn[];
  /** Fields of the log lines, newest last. */
  logged: Record<string, unknown>[];
  /** Those of warnings and errors alone. */
  alarms: Record<string, unknown>[];
  requestLines(): Record<string, unknown>[];
  /** Waits until nothing is open anywhere and checks that nobody complained. */
  settled(): Promise<void>;
  stop(): Promise<void>;
}

export async function startTestFleet(options: TestFleetOptions = {}): Promise<TestFleet> {
  const handovers = new Handovers();
  const start = (role: string, count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, i) =>
        EngineStandIn.start({ workerId: `${role}-${i + 1}`, handovers, ...options.engine }),
      ),
    );
  const prefill = await start('prefill', options.prefill ?? 2);
  const decode = await start('decode', options.decode ?? 2);
  const engines = [...prefill, ...decode];
  const session = new SessionStandIn();
  session.prefill = prefill;
  session.decode = decode;
  const fleet = new FleetView();
  fleet.update(
    {
      models: [
        {
          model: MODEL,
          tokenization: 'chars',
          segmentTokens: 4,
          maxModelTokens: options.maxModelTokens ?? 4_096,
          ready: true,
          workers: engines.map(({ workerId, url }) => ({ workerId, engineUrl: url })),
        },
      ],
    },
    Date.now(),
  );
  const logged: Record<string, unknown>[] = [];
  const alarms: Record<string, unknown>[] = [];
  const log = (fields: object) => void logged.push({ ...fields });
  const alarm = (fields: object) => {
    log(fields);
    alarms.push({ ...fields });
  };
  const defaults = gatewayConfigSchema.parse({ conductor: 'none', timeLimits: {} });
  const deps: GatewayDeps = {
    config: {
      ...defaults,
      port: 0,
      ...options.config,
      timeLimits: { ...defaults.timeLimits, ...options.timeLimits },
    },
    fleet,
    session,
    engines: new EngineHttp({ connectMs: 1_000, maxAnswerBytes: 1_000_000 }),
    protocol: batonProtocol,
    log: { info: log, warn: alarm, error: alarm } as GatewayDeps['log'],
  };
  const gateway = await startGateway(deps);
  const requestLines = () => logged.filter((line) => line['event'] === 'request');
  return {
    url: gateway.url,
    gateway,
    deps,
    session,
    prefill,
    decode,
    engines,
    logged,
    alarms,
    requestLines,
    settled: async () => {
      await waitFor(() => gateway.openRequests === 0, 'the gateway is idle');
      await waitFor(() => engines.every((engine) => engine.open === 0), 'engines are idle');
      await waitFor(() => session.booked.size === 0, 'no plan is booked');
      expect(session.violations).toEqual([]);
      expect(engines.flatMap((engine) => engine.violations)).toEqual([]);
      expect(logged.filter((line) => line['event'] === 'request_fault')).toEqual([]);
    },
    stop: async () => {
      await gateway.stop();
      await (deps.engines as EngineHttp).close();
      await Promise.all(engines.map((engine) => engine.stop()));
    },
  };
}

export async function waitFor(condition: () => boolean, what: string): Promise<void> {
  const until = performance.now() + SETTLE_MS;
  while (!condition()) {
    if (performance.now() > until) throw new Error(`waited in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
