import { z } from 'zod';

const MAX_RANKS = 1_024;

export const eventSettingsSchema = z.strictObject({
  ranks: z
    .int()
    .min(1)
    .max(MAX_RANKS)
    .default(1)
    .describe('Data-parallel ranks of the engine; each publishes its own KV events.'),
  endpoints: z
    .array(z.string().min(1))
    .max(MAX_RANKS)
    .default([])
    .describe(
      'ZMQ endpoint of the KV events of each rank; with one for several ranks its port counts up. Default: what the engine says.',
    ),
  replayEndpoints: z
    .array(z.string().min(1))
    .max(MAX_RANKS)
    .default([])
    .describe('ZMQ endpoint of the replay of each rank, in the same way.'),
  bind: z
    .boolean()
    .default(false)
    .describe('Listen at the endpoints for engines that connect, as vLLM does without a *.'),
  topic: z.string().default('').describe('Beginning of the topic of the KV events.'),
  dialect: z
    .enum(['vllm', 'sglang'])
    .optional()
    .describe('How the KV events are written; default: by the name of the engine.'),
  hybrid: z
    .boolean()
    .default(false)
    .describe(
      'Follow models with sliding-window or state-space layers, too. Without it nothing is announced for them.',
    ),
  journal: z
    .boolean()
    .default(true)
    .describe(
      'Remember on disk what the engine said, so that a restart of the agent forgets nothing.',
    ),
  resetEngineCache: z
    .boolean()
    .default(false)
    .describe(
      'Have the engine empty its prefix cache when events are lost beyond its replay buffer, so that the index knows all of it again. vLLM allows it in development mode only.',
    ),
});

export type EventSettings = z.infer<typeof eventSettingsSchema>;
