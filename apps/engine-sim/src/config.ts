import { z } from 'zod';
import { adapterDefaults, nixlDefaults, settingsDefaults } from './engine-options.ts';

const port = z.int().min(0).max(65_535);
const positive = z.int().min(1);

export const engineSimConfigSchema = z.strictObject({
  engines: positive.max(1_000).default(1).describe('Stand-in engines in this process.'),
  name: z
    .string()
    .regex(/^[\w.-]{1,64}$/, { error: 'must be letters, digits, dots, dashes and underscores' })
    .default('vllm')
    .describe('Name of an engine in violations; several are numbered: vllm-1, vllm-2, …'),
  host: z.string().min(1).default(settingsDefaults.host).describe('Address to listen on.'),
  port: port
    .default(0)
    .describe('Port of the HTTP API of the first engine, the others follow; 0 takes free ones.'),
  model: z.string().min(1).default(settingsDefaults.model).describe('Name of the model.'),
  maxModelTokens: positive
    .default(settingsDefaults.maxModelTokens)
    .describe('Longest prompt and output together, tokens.'),
  blockTokens: positive
    .max(4_096)
    .default(settingsDefaults.blockTokens)
    .describe('Tokens of a block of the KV cache.'),
  blocks: positive
    .max(1 << 24)
    .default(settingsDefaults.blocks)
    .describe('Blocks of the KV cache of one engine.'),
  maxSequences: positive
    .max(4_096)
    .default(settingsDefaults.maxSequences)
    .describe('Sequences of one batch.'),
  meanAnswerTokens: z
    .int()
    .min(0)
    .default(128)
    .describe('Tokens of an answer on average, where nothing else ends it; 0: nothing does.'),
  cost: z
    .enum(['stand-in', 'a800', 'dynamo'])
    .default('stand-in')
    .describe('How long steps take: a small model, a 70B model on eight A800, Dynamo’s simulator.'),
  speedUp: z.number().gt(0).max(1e6).default(1).describe('Times as fast as the cost model says.'),
  adapters: z
    .array(
      z
        .string()
        .regex(/^[^=,\s]+=.+$/, { error: 'must be a name and a path, such as sql=/adapters/sql' }),
    )
    .default([])
    .describe('LoRA adapters that each engine has from its start, as `NAME=PATH`.'),
  maxLoras: positive
    .max(4_096)
    .default(adapterDefaults.slots)
    .describe('Adapters of one batch, which stay in their places until others need these.'),
  adapterLoadMs: z
    .int()
    .min(0)
    .default(adapterDefaults.loadMs)
    .describe('How long putting an adapter into its place takes, ms.'),
  nixl: z
    .boolean()
    .default(true)
    .describe('Engines hand KV over to one another, as NixlConnector.'),
  leaseMs: positive
    .default(nixlDefaults.leaseMs)
    .describe('How long a prefilled prompt waits for its reader, ms, whatever the speed-up.'),
});
export type EngineSimConfig = z.infer<typeof engineSimConfigSchema>;
