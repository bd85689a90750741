import { EngineHttp } from '@baton/engine-clients';
import { eventually } from '@baton/test-kit';
import { expect } from 'vitest';
import { gatewayConfigSchema, type TimeLimits } from '../config.ts';
import { FleetView, type EngineAbilities, type ServedAdapter } from '../fleet-view.ts';
import { startGateway, type Gateway } from '../gateway.ts';
import type { GatewayDeps } from '../ports.ts';
import { LonePrefills } from '../legs/lone-prefills.ts';
import { Standstills } from '../legs/standstills.ts';
import { KeptTurns } from '../planning/kept-turns.ts';
import { RequestLog, type RequestLogOptions } from '../request-log/request-log.ts';
import { BootstrapRooms } from './bootstrap-rooms.ts';
import { EngineStandIn, Handovers, type StandInOptions } from './engine-stand-in.ts';
import { SessionStandIn } from './session-stand-in.ts';
import { VllmHandovers } from './vllm-handovers.ts';

export const MODEL = 'stand-in';
export const CHAT = '/v1/chat/completions';
export const COMPLETION = '/v1/completions';

export const chatBody = (more: object = {}) => ({
  model: MODEL,
  messages: [{ role: 'user', content: 'Hello there' }],
  ...more,
});

export const completionBody = (more: object = {}) => ({ model: MODEL, prompt: 'Hello', ...more });

export interface TestFleetOptions {
  prefill?: number;
  decode?: number;
  engine?: Partial<StandInOptions>;
  /** Engines are vLLM with NixlConnector, or SGLang, instead of Baton's own. */
  kind?: 'vllm' | 'sglang';
  timeLimits?: Partial<TimeLimits>;
  config?: Partial<GatewayDeps['config']>;
  maxModelTokens?: number;
  /** Beside taking token ids. */
  capabilities?: Partial<EngineAbilities>;
  adapters?: readonly ServedAdapter[];
  record?: Partial<RequestLogOptions> & { settings: RequestLogOptions['settings'] };
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
  /** Of SGLang's servers. */
  rooms: BootstrapRooms;
  /** So long the gateway has not run, while the engines did. */
  standstill: { ms: number };
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
  const { kind } = options;
  const rooms = new BootstrapRooms();
  const spoken = {
    ...(kind === 'vllm' && { vllm: new VllmHandovers() }),
    ...(kind === 'sglang' && { sglang: rooms }),
  };
  const start = (role: string, count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, i) =>
        EngineStandIn.start({
          workerId: `${role}-${i + 1}`,
          handovers,
          ...spoken,
          ...options.engine,
        }),
      ),
    );
  const prefill = await start('prefill', options.prefill ?? 2);
  const decode = await start('decode', options.decode ?? 2);
  const engines = [...prefill, ...decode];
  const session = new SessionStandIn();
  session.prefill = prefill;
  session.decode = decode;
  session.engine = kind ?? 'llama';
  if (kind === 'sglang') session.connector = 'sglang-mooncake';
  const fleet = new FleetView();
  const pool = {
    model: MODEL,
    tokenization: 'chars',
    segmentTokens: 4,
    maxModelTokens: options.maxModelTokens ?? 4_096,
    ready: true,
    capabilities: { takeTokens: true, callTools: false, ...options.capabilities },
    adapters: options.adapters ?? [],
    workers: engines.map(({ workerId, url }) => ({ workerId, engineUrl: url })),
  };
  fleet.update([pool], Date.now());
  const logged: Record<string, unknown>[] = [];
  const alarms: Record<string, unknown>[] = [];
  const log = (fields: object) => void logged.push({ ...fields });
  const alarm = (fields: object) => {
    log(fields);
    alarms.push({ ...fields });
  };
  const defaults = gatewayConfigSchema.parse({
    conductor: 'none',
    timeLimits: {},
    sloLimits: {},
    record: {},
  });
  const gatewayLog = { info: log, warn: alarm, error: alarm } as GatewayDeps['log'];
  const nowMs = (): number => performance.now();
  const standstill = { ms: 0 };
  const standstills = new Standstills(() => nowMs() + standstill.ms);
  const deps: GatewayDeps = {
    requestLog: options.record && new RequestLog({ log: gatewayLog, nowMs, ...options.record }),
    config: {
      ...defaults,
      port: 0,
      ...options.config,
      timeLimits: { ...defaults.timeLimits, ...options.timeLimits },
    },
    fleet,
    session,
    engines: new EngineHttp({ connectMs: 1_000, maxAnswerBytes: 1_000_000 }),
    turns: new KeptTurns(nowMs),
    lonePrefills: new LonePrefills(),
    standstills,
    log: gatewayLog,
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
    rooms,
    logged,
    alarms,
    standstill,
    requestLines,
    settled: async () => {
      await eventually(() => gateway.openRequests === 0);
      await eventually(() => engines.every((engine) => engine.open === 0));
      await eventually(() => session.booked.size === 0);
      expect(session.violations).toEqual([]);
      expect(engines.flatMap((engine) => engine.violations)).toEqual([]);
      expect(logged.filter((line) => line['event'] === 'request_fault')).toEqual([]);
    },
    stop: async () => {
      await gateway.stop();
      standstills.close();
      await (deps.engines as EngineHttp).close();
      await Promise.all(engines.map((engine) => engine.stop()));
    },
  };
}
