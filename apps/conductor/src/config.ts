import { defaultCoreOptions } from '@baton/core';
import { answerForms } from '@baton/mooncake';
import { policyEntries, policyNames } from '@baton/scheduling';
import { z } from 'zod';

const MAX_WAIT_LIMIT_MS = 600_000;
/** What the index can address. */
const MAX_REPLICAS = 16_000_000;
const port = z.int().min(0).max(65_535);

export const conductorConfigSchema = z.strictObject({
  natsUrl: z
    .string()
    .min(1)
    .default('nats://127.0.0.1:4222')
    .meta({ secret: true })
    .describe('NATS server.'),
  host: z.string().min(1).default('127.0.0.1').describe('Address to listen on.'),
  grpcPort: port.default(7070).describe('Port for gateways (gRPC); 0 takes a free one.'),
  adminPort: port.default(7071).describe('Port of the admin API (HTTP); 0 takes a free one.'),
  policy: z
    .enum(policyNames)
    .default('kv-centric')
    .describe('How prefill and decode worker are chosen.'),
  aggregateBelowTokens: z
    .int()
    .min(0)
    .default(policyEntries['kv-centric'].parameters['aggregateBelowTokens']?.value ?? 0)
    .describe(
      'A decode worker that lacks at most this many prompt tokens may run a request alone.',
    ),
  prefillTokensPerSec: z
    .number()
    .positive()
    .default(defaultCoreOptions.prefillTokensPerSec)
    .describe('Prompt tokens per second of a worker while none has measured its own.'),
  planLeaseMs: z
    .int()
    .min(1000)
    .max(60_000)
    .default(defaultCoreOptions.planLeaseMs)
    .describe('A plan of which no gateway reports anything for this long is given up.'),
  maxWaitMs: z
    .int()
    .min(0)
    .max(MAX_WAIT_LIMIT_MS)
    .default(defaultCoreOptions.maxWaitMs)
    .describe(
      'Longest wait of a request for free capacity; then it is refused with 429. Its gateway may allow less.',
    ),
  indexerAnswers: z
    .enum(answerForms)
    .default('mooncake')
    .describe(
      "Form of the indexer API's answers: as Mooncake's conductor gives them, as the HTTP reference of Mooncake says, or as Dynamo's indexer.",
    ),
  indexMaxReplicas: z
    .int()
    .min(1000)
    .max(MAX_REPLICAS)
    .default(defaultCoreOptions.maxReplicas)
    .describe(
      'Replicas (segments times holders) that the index has room for, about 64 bytes each; beyond it what was not used for longest is left out.',
    ),
});

export type ConductorConfig = z.output<typeof conductorConfigSchema>;
