import path from 'node:path';
import { workerIdPattern, workerIdRule } from '@baton/kv';
import { z } from 'zod';
import { defaultThreads } from './physical-cores.ts';

const port = z.int().min(0).max(65_535);
const positive = z.int().min(1);

export const engineConfigSchema = z.strictObject({
  model: z.string().min(1).describe('GGUF file of a Llama, Qwen or SmolLM model.'),
  modelName: z
    .string()
    .min(1)
    .optional()
    .describe('Name that clients use; default: the name of the file without .gguf.'),
  workerId: z
    .string()
    .regex(workerIdPattern, { error: `must be ${workerIdRule}` })
    .optional()
    .describe('Id of the worker in logs and traces; the agent knows it by itself.'),
  role: z
    .enum(['prefill', 'decode', 'both'])
    .default('both')
    .describe('What the worker is for, in logs; the conductor decides by what the agent says.'),
  host: z.string().min(1).default('127.0.0.1').describe('Address to listen on.'),
  port: port.default(0).describe('Port of the HTTP API; 0 takes a free one.'),
  eventsPort: port.default(0).describe('Port of the KV events (ZMQ PUB); 0 takes a free one.'),
  replayPort: port.default(0).describe('Port of their replay (ZMQ ROUTER); 0 takes a free one.'),
  agentSocket: z
    .string()
    .min(1)
    .optional()
    .describe('Unix socket on which the agent listens; without it the engine runs alone.'),
  reproducible: z
    .boolean()
    .default(false)
    .describe('Results that do not depend on other requests; slower.'),
  threads: positive
    .max(1_024)
    .optional()
    .describe('Threads of libllama; default: the physical cores shared among the engines.'),
  enginesOnMachine: positive
    .max(1_024)
    .default(1)
    .describe('Engines that share the cores of this machine.'),
  kvCapacityTokens: positive
    .max(1 << 24)
    .default(16_384)
    .describe('Tokens of KV cache, running sequences and cached prefixes together.'),
  maxSequences: positive.max(128).default(32).describe('Sequences that run at once.'),
  maxModelTokens: positive
    .optional()
    .describe("Longest prompt and output together, tokens; default: the model's own limit."),
  segmentTokens: z
    .int()
    .min(64)
    .max(1_024)
    .default(64)
    .describe('Tokens of a segment, which is the block of the KV cache.'),
});

export type EngineConfig = z.infer<typeof engineConfigSchema>;

export function modelNameOf(config: Pick<EngineConfig, 'model' | 'modelName'>): string {
  return config.modelName ?? path.basename(config.model, '.gguf');
}

export function threadsOf(config: Pick<EngineConfig, 'threads' | 'enginesOnMachine'>): number {
  return config.threads ?? defaultThreads(config.enginesOnMachine);
}
