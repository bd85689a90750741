import { defaultCoreOptions, queueings, type SettingsChange, type Slo } from '@baton/core';
import { answerForms } from '@baton/mooncake';
import { plainEngineUrl, workerIdPattern, workerIdRule } from '@baton/kv';
import { policyNames } from '@baton/scheduling';
import { z } from 'zod';

const MAX_WAIT_LIMIT_MS = 600_000;
/** What the index can address. */
const MAX_REPLICAS = 16_000_000;
/** Without an agent. */
export const MAX_ENGINES = 1_024;
const MAX_PORT = 65_535;
const port = z.int().min(0).max(MAX_PORT);

/** Milliseconds, or that nothing is promised. */
const promised = z.union([z.number().positive(), z.literal('none')], {
  error: 'must be a time in ms that is more than 0, or "none"',
});

/** What can be set for one model, or changed for all; null goes back to the default. */
export const modelSettings = z.strictObject({
  policy: z.enum(policyNames).nullish(),
  prefillPolicy: z.enum(policyNames).nullish(),
  decodePolicy: z.enum(policyNames).nullish(),
  policyParameters: z
    .record(z.string(), z.record(z.string(), z.number().nullable()).nullable())
    .nullish(),
  queue: z.enum(queueings).nullish(),
  slo: z
    .strictObject({
      ttftBaseMs: promised.nullish(),
      ttftPerTokenMs: z.number().min(0).nullish(),
      tbtMs: promised.nullish(),
    })
    .nullish(),
});

const urlRule = { error: 'must be a URL such as http://10.0.0.1:8000, and nothing else in it' };

export const engineSetting = z.strictObject({
  url: z
    .string(urlRule)
    .refine((url) => plainEngineUrl(url) !== undefined, urlRule)
    // One engine has one URL, whoever writes it.
    .overwrite((url) => plainEngineUrl(url) ?? url)
    .describe('Where the engine serves HTTP.'),
  role: z.enum(['prefill', 'decode', 'both']).default('both'),
  workerId: z
    .string()
    .regex(workerIdPattern, { error: `must be ${workerIdRule}` })
    .optional(),
  kvBytesPerToken: z.int().min(1).optional(),
  maxSequences: z.int().min(1).optional(),
  connector: z.enum(['nixl-push', 'mooncake']).optional(),
  bootstrapPort: port.min(1).optional(),
});

export type EngineSetting = z.output<typeof engineSetting>;

const file = z.string().min(1).optional();
const selector = z.string().min(1).optional();
/** As Kubernetes names container ports. */
const portName = /^(?=.*[a-z])[a-z0-9]([a-z0-9-]{0,13}[a-z0-9])?$/;

const portRule = { error: 'must be a port, or the name of a container port' };

const kubernetes = z
  .strictObject({
    selector: selector.describe(
      'Label selector of engines, such as `app=vllm`. What their label `llm-d.ai/role` says is their role; without it they do whole requests.',
    ),
    prefillSelector: selector.describe('The same of engines that only prefill.'),
    decodeSelector: selector.describe('The same of engines that only decode.'),
    namespace: z
      .string()
      .min(1)
      .optional()
      .describe(
        "Namespace of the pods; by default this process's own, or that of the kubeconfig's context.",
      ),
    port: z
      .union(
        [
          z.int(portRule).min(1, portRule).max(MAX_PORT, portRule),
          z.string().regex(portName, portRule),
        ],
        portRule,
      )
      .default(8000)
      .describe(
        'Where they serve HTTP: a port, or the name of a container port. The annotation `baton/ports` of a pod goes before it.',
      ),
    kvBytesPerToken: engineSetting.shape.kvBytesPerToken.describe('As of `engines`.'),
    connector: engineSetting.shape.connector.describe('As of `engines`.'),
    bootstrapPort: engineSetting.shape.bootstrapPort.describe('As of `engines`.'),
    maxSequences: engineSetting.shape.maxSequences.describe('As of `engines`.'),
  })
  .refine((given) => given.selector ?? given.prefillSelector ?? given.decodeSelector, {
    error: 'needs selector, prefillSelector or decodeSelector',
  })
  .optional();

export const conductorConfigSchema = z.strictObject({
  natsUrl: z
    .string()
    .min(1)
    .default('nats://127.0.0.1:4222')
    .meta({ secret: true })
    .describe('NATS server; `none` where no worker has an agent.'),
  engines: z
    .array(engineSetting.extend({ apiKeyFile: file, caFile: file }))
    .max(MAX_ENGINES)
    .default([])
    .describe(
      'Running vLLM and SGLang servers without an agent: `url`, `role` (`both` unless it is `prefill` or `decode`), `workerId` (by default its host and port), what they do not tell themselves, `kvBytesPerToken` (131,072), `maxSequences` (256), `connector` (`nixl-push` or `mooncake`, where it is one of them) and `bootstrapPort` (8998, of MooncakeConnector), and `apiKeyFile` and `caFile` where those of `engineAccess` do not fit.',
    ),
  engineAccess: z
    .strictObject({
      apiKeyFile: file.describe('File with the API key of the engines.'),
      caFile: file.describe('PEM file of the authority that signed their certificates.'),
    })
    .prefault({}),
  kubernetes,
  host: z.string().min(1).default('127.0.0.1').describe('Address to listen on.'),
  grpcPort: port.default(7070).describe('Port for gateways (gRPC); 0 takes a free one.'),
  adminPort: port.default(7071).describe('Port of the admin API (HTTP); 0 takes a free one.'),
  policy: z
    .enum(policyNames)
    .default('kv-centric')
    .describe('How prefill and decode worker are chosen.'),
  prefillPolicy: z
    .enum(policyNames)
    .optional()
    .describe('How the prefill worker is chosen, where that is not by `policy`.'),
  decodePolicy: z
    .enum(policyNames)
    .optional()
    .describe('How the decode worker is chosen, where that is not by `policy`.'),
  policyParameters: z
    .record(z.string(), z.record(z.string(), z.number()))
    .default({})
    .describe('Parameters of policies by their name, such as `{"composite": {"alpha": 2}}`.'),
  queue: z
    .enum(queueings)
    .default(defaultCoreOptions.queue)
    .describe(
      'Who is next when a worker has room: the shortest prompt left to compute, who came first, or who has to begin first to be in time; or whether requests go to engines at once and wait there.',
    ),
  waitBoundMs: z
    .int()
    .min(1000)
    .max(MAX_WAIT_LIMIT_MS)
    .default(defaultCoreOptions.waitBoundMs)
    .describe('Longest wait that the order of the queue may cause, as far as the fleet keeps up.'),
  sloTtftMs: z
    .number()
    .positive()
    .optional()
    .describe(
      'Promised time to the first token; who can no longer have it is refused with 429. None where it is not set.',
    ),
  sloTtftPerTokenMs: z
    .number()
    .min(0)
    .default(0)
    .describe('Added to it for each prompt token that nobody holds.'),
  sloTbtMs: z
    .number()
    .positive()
    .optional()
    .describe(
      'Promised time between two tokens: no decode worker is given an answer with which it is predicted to be slower. None where it is not set.',
    ),
  prefillTokensPerSec: z
    .number()
    .positive()
    .default(defaultCoreOptions.prefillTokensPerSec)
    .describe('Prompt tokens per second of a worker while none has measured its own.'),
  adapterLoadMs: z
    .number()
    .min(0)
    .default(defaultCoreOptions.adapterLoadMs)
    .describe('What loading a LoRA adapter takes, ms, until loads have shown it.'),
  models: z
    .record(z.string(), modelSettings)
    .default({})
    .describe(
      'Other settings for single models, by name: `policy`, `prefillPolicy`, `decodePolicy`, `policyParameters`, `queue`, `slo` (`ttftBaseMs`, `ttftPerTokenMs`, `tbtMs`; `"none"` promises nothing). What a model has not of its own goes by the settings for all, also within `slo` and `policyParameters`.',
    ),
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

/** A change as the core takes it. */
export function settingsChangeOf(given: z.output<typeof modelSettings>): SettingsChange {
  const { slo, ...others } = given;
  if (slo === undefined || slo === null) return { ...others, slo };
  const { ttftBaseMs, tbtMs } = slo;
  return { ...others, slo: { ...slo, ttftBaseMs: msOf(ttftBaseMs), tbtMs: msOf(tbtMs) } };
}

/** Promised times as {@link modelSettings} has them. */
export function sloJson(slo: Partial<Slo>): object {
  const names = Object.entries(slo).map(([name, value]) => [
    name,
    value === Infinity ? 'none' : value,
  ]);
  return Object.fromEntries(names) as object;
}

function msOf<T>(given: number | 'none' | T): number | T {
  return given === 'none' ? Infinity : given;
}
