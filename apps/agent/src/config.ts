import { workerIdPattern, workerIdRule } from '@baton/kv';
import { parseAddress } from '@baton/transfer-engines';
import { z } from 'zod';

const MIB = 1024 * 1024;
const MAX_RANKS = 1_024;
const port = z.int().min(0).max(65_535);

const eventsSchema = z.strictObject({
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

export const agentConfigSchema = z.strictObject({
  workerId: z
    .string()
    .regex(workerIdPattern, { error: `must be ${workerIdRule}` })
    .describe(`Id of the worker: ${workerIdRule}.`),
  role: z
    .enum(['prefill', 'decode', 'both'])
    .default('both')
    .describe('Which legs the conductor may put on this worker.'),
  natsUrl: z
    .string()
    .min(1)
    .default('nats://127.0.0.1:4222')
    .meta({ secret: true })
    .describe('NATS server.'),
  socketPath: z.string().min(1).describe('Unix socket on which the engine finds this agent.'),
  dramBytes: z
    .int()
    .min(MIB)
    .max(2 ** 46)
    .default(256 * MIB)
    .describe('Size of the DRAM arena, bytes.'),
  arenaFolder: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Folder of the arena; default: /dev/shm where it has room, else the one for temporary files.',
    ),
  transferHost: z
    .string()
    .min(1)
    .default('127.0.0.1')
    .describe('Address on which other agents may pull.'),
  transferPort: port.default(0).describe('Its port; 0 takes a free one.'),
  transferAdvertise: z
    .string()
    .refine((address) => parseAddress(address) !== undefined, { error: 'must be host:port' })
    .optional()
    .describe('host:port that other agents are told, where it is not the one above.'),
  transferStreams: z
    .int()
    .min(1)
    .max(64)
    .default(4)
    .describe('Connections that one large transfer uses at most.'),
  transferStallMs: z
    .int()
    .min(100)
    .max(600_000)
    .default(5_000)
    .describe('Silence after which a transfer counts as stalled, ms; the same for all agents.'),
  beatIntervalMs: z
    .int()
    .min(50)
    .max(10_000)
    .default(1_000)
    .describe('How often the conductor hears load and counters, and the lease is renewed, ms.'),
  stateFolder: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Folder of what outlives this process; default: baton in $XDG_STATE_HOME or in ~/.local/state.',
    ),
  events: eventsSchema.prefault({}),
});

export type AgentConfig = z.infer<typeof agentConfigSchema>;
