import { Mooncake } from '../exchange/mooncake.ts';
import { NixlPush } from '../exchange/nixl-push.ts';
import type { ExchangeSide } from '../exchange/exchange-side.ts';
import { PromptExchange } from '../exchange/prompt-exchange.ts';
import type { MeetingLimits } from '../exchange/prompt-meeting.ts';
import type { SimEngine } from '../engine/sim-engine.ts';
import type { MooncakeSettings, NixlSettings, StandInSettings } from '../engine-options.ts';
import { NixlPull } from '../nixl/nixl-pull.ts';
import { NixlReader } from '../nixl/nixl-reader.ts';
import { NixlSource } from '../nixl/nixl-source.ts';
import type { NixlMetrics } from '../observe/nixl-metrics.ts';
import type { LifeContext } from '../stand-in.ts';
import type { EnginePlaces } from './engine-places.ts';
import type { VllmConnector } from './vllm-connector.ts';
import type { VllmNetwork } from './vllm-network.ts';

interface ConnectorContext extends LifeContext {
  settings: StandInSettings;
  network: VllmNetwork;
  engine: SimEngine;
  nixlMetrics: NixlMetrics;
}

/** Undefined for an engine without one. */
export function connectorOf(context: ConnectorContext): VllmConnector | undefined {
  const { nixl, mooncake } = context.settings;
  if (mooncake !== undefined) return mooncakeOf(context, mooncake);
  if (nixl === undefined) return undefined;
  return nixl.push ? pushOf(context, nixl) : pullOf(context, nixl);
}

function pullOf(context: ConnectorContext, nixl: NixlSettings): NixlPull {
  const { settings, network, clock, faults, engine, complain, nixlMetrics } = context;
  const { host, cost } = settings;
  const places = network.nixl;
  const source = new NixlSource({
    host,
    port: nixl.port === 0 ? places.freePort(host) : nixl.port,
    pool: engine.pool,
    clock,
    leaseMs: nixl.leaseMs,
    turnMs: nixl.turnMs,
    complain,
  });
  nixlMetrics.countFrom(source);
  const reader = new NixlReader({
    network: places,
    clock,
    kvBytesPerToken: cost.kvBytesPerToken,
    bandwidthBytesPerSec: nixl.bandwidthBytesPerSec,
    complain,
    takeFailure: () => faults.take(['transfer_failure']) !== undefined,
    onTransfer: (transfer) => nixlMetrics.transferred(transfer),
    die: (fault) => engine.die(fault),
  });
  const isBidirectional = nixl.bidirectional;
  return new NixlPull({ engine, faults, places, source, reader, isBidirectional, complain });
}

function pushOf(context: ConnectorContext, nixl: NixlSettings): NixlPush {
  const places = context.network.nixlPush;
  const port = nixl.port === 0 ? places.freePort(context.settings.host) : nixl.port;
  const { leaseMs: keepMs, turnMs: waitMs, bandwidthBytesPerSec } = nixl;
  const limits = { keepMs, waitMs, bandwidthBytesPerSec };
  return new NixlPush(exchangeSide(context, places, port, limits));
}

function mooncakeOf(
  context: ConnectorContext,
  { port, abortMs, bandwidthBytesPerSec }: MooncakeSettings,
): Mooncake {
  const limits = { keepMs: abortMs, waitMs: abortMs, bandwidthBytesPerSec };
  return new Mooncake(exchangeSide(context, context.network.mooncake, port, limits));
}

function exchangeSide(
  context: ConnectorContext,
  places: EnginePlaces<PromptExchange>,
  port: number,
  limits: Pick<MeetingLimits, 'keepMs' | 'waitMs' | 'bandwidthBytesPerSec'>,
): ExchangeSide {
  const { settings, clock, faults, engine, complain, nixlMetrics } = context;
  const { name, host, cost } = settings;
  const exchange = new PromptExchange({
    // As with an engine_id that is given in --kv-transfer-config.
    ...{ engineId: name, host, port, pool: engine.pool, clock, complain },
    ...{ ...limits, kvBytesPerToken: cost.kvBytesPerToken },
    onTransfer: (transfer) => nixlMetrics.transferred(transfer),
  });
  return { engine, clock, faults, places, exchange, complain };
}
