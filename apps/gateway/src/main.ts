import { randomUUID } from 'node:crypto';
import { loadConfig } from '@baton/config';
import { runService } from '@baton/service';
import { startTelemetry } from '@baton/telemetry';
import { gatewayConfigSchema } from './config.ts';
import { startGatewayService } from './start.ts';

await runService({
  name: 'gateway',
  start: async ({ log }) => {
    const config = loadConfig({
      name: 'gateway',
      description: 'OpenAI-compatible HTTP in front of prefill and decode workers.',
      schema: gatewayConfigSchema,
    });
    const gatewayId = `gateway-${randomUUID()}`;
    await startTelemetry({ serviceName: 'gateway', instanceId: gatewayId, log });
    return startGatewayService({ config, gatewayId, log });
  },
});
