import { loadConfig } from '@baton/config';
import { runService } from '@baton/service';
import { a800, dynamo, type EngineCost } from '@baton/sim';
import { engineSimConfigSchema, type EngineSimConfig } from './config.ts';
import { defaultCost } from './engine-options.ts';
import { startVllmFleet } from './fleet.ts';

const costs: Readonly<Record<EngineSimConfig['cost'], () => EngineCost>> = {
  'stand-in': () => defaultCost,
  a800: () => a800(),
  dynamo: () => dynamo,
};

await runService({
  name: 'engine-sim',
  start: async () => {
    const config = loadConfig({
      name: 'engine-sim',
      description: 'Stand-in engines: vLLM look-alikes without a model, for tests and scale runs.',
      schema: engineSimConfigSchema,
    });
    const { engines: count, name, cost, nixl, leaseMs, port, ...others } = config;
    const { adapters, maxLoras: slots, adapterLoadMs: loadMs, ...settings } = others;
    const names = Array.from({ length: count }, (_, i) =>
      count === 1 ? name : `${name}-${i + 1}`,
    );
    const fleet = await startVllmFleet(names, {
      ...settings,
      portOf: (i) => (port === 0 ? 0 : port + i),
      cost: costs[cost](),
      nixl: nixl ? { leaseMs } : undefined,
      adapters: { slots, loadMs, modules: adapters.map(moduleOf) },
    });
    const endpoints = fleet.engines.flatMap((engine) => [
      [engine.name, engine.url],
      [`${engine.name} events`, engine.eventsEndpoint],
      [`${engine.name} replay`, engine.replayEndpoint],
    ]);
    return { endpoints: Object.fromEntries(endpoints), stop: () => fleet.stop() };
  },
});

/** As vLLM takes it with --lora-modules. */
function moduleOf(text: string): { name: string; path: string } {
  const at = text.indexOf('=');
  return { name: text.slice(0, at), path: text.slice(at + 1) };
}
