import { loadConfig } from '@baton/config';
import { runService } from '@baton/service';
import { startTelemetry } from '@baton/telemetry';
import { Agent } from './agent.ts';
import { agentConfigSchema } from './config.ts';

await runService({
  name: 'agent',
  start: async ({ log }) => {
    const config = loadConfig({
      name: 'agent',
      description: 'Stands beside one engine: holds and moves its KV, and tells the conductor.',
      schema: agentConfigSchema,
    });
    await startTelemetry({ serviceName: 'agent', instanceId: config.workerId, log });
    const agent = await Agent.start({
      config,
      log,
      onFatal: (error) => {
        // After the engine was told: it need not wait for this agent.
        setImmediate(() => {
          throw error;
        });
      },
    });
    return { endpoints: { engine: config.socketPath }, stop: () => agent.stop() };
  },
});
