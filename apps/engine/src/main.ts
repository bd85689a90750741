import { loadConfig } from '@baton/config';
import { runService } from '@baton/service';
import { startTelemetry } from '@baton/telemetry';
import { engineConfigSchema, threadsOf } from './config.ts';
import { InferenceThread } from './core/inference-thread.ts';
import { startEngine } from './engine.ts';

/** So long /health can say that the engine is dead before the process ends. */
const FATAL_GRACE_MS = 500;

await runService({
  name: 'engine',
  start: async ({ log }) => {
    const config = loadConfig({
      name: 'engine',
      description: 'An LLM engine for one machine: libllama with KV segments in and out.',
      schema: engineConfigSchema,
    });
    await startTelemetry({
      serviceName: 'engine',
      instanceId: config.workerId ?? config.role,
      log,
    });
    const engine = await startEngine({
      config,
      log,
      openThread: () =>
        new InferenceThread({
          modelPath: config.model,
          reproducible: config.reproducible,
          threads: threadsOf(config),
          cells: config.kvCapacityTokens,
          maxSequences: config.maxSequences,
          segmentTokens: config.segmentTokens,
          maxModelTokens: config.maxModelTokens ?? config.kvCapacityTokens,
        }),
      onFatal: (error) => {
        log.fatal({ event: 'inference_died' }, error.message);
        setTimeout(() => {
          throw error;
        }, FATAL_GRACE_MS);
      },
    });
    return engine;
  },
});
