import { loadConfig } from '@baton/config';
import { runService } from '@baton/service';
import { startTelemetry } from '@baton/telemetry';
import { startConductor } from './conductor.ts';
import { conductorConfigSchema } from './config.ts';

await runService({
  name: 'conductor',
  start: async ({ log, signal }) => {
    const config = loadConfig({
      name: 'conductor',
      description: 'Plans requests, knows where KV is, and orders its transfers.',
      schema: conductorConfigSchema,
    });
    await startTelemetry({ serviceName: 'conductor', log });
    return startConductor({ config, log, signal });
  },
});
