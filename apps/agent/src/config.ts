import { workerIdPattern, workerIdRule } from '@baton/kv';
import { parseAddress } from '@baton/transfer-engines';
import { eventSettingsSchema } from '@baton/worker-knowledge';
import { z } from 'zod';

const MIB = 1024 * 1024;
const port = z.int().min(0).max(65_535);

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
  engineAccess: z
    .strictObject({
      apiKeyFile: z.string().min(1).optional().describe('File with the API key of the engine.'),
      caFile: z
        .string()
        .min(1)
        .optional()
        .describe('PEM file of the authority that signed its certificate.'),
    })
    .prefault({}),
  events: eventSettingsSchema.prefault({}),
});

export type AgentConfig = z.infer<typeof agentConfigSchema>;
