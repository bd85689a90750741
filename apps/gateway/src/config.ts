import { plainEngineUrl } from '@baton/kv';
import { z } from 'zod';

const milliseconds = (fallback: number, text: string) =>
  z.int().min(1).default(fallback).describe(`${text}, milliseconds`);

/** Of `planMs`, for the conductor's word that a request has waited for room in vain. */
export const PLAN_ANSWER_MS = 5_000;

/** Longest waits of the gateway; none of them is without an end. */
const timeLimitsSchema = z.strictObject({
  connectMs: milliseconds(2_000, 'Connecting to an engine'),
  tokenizeMs: milliseconds(5_000, 'One try of /tokenize'),
  planMs: milliseconds(
    65_000,
    `Answer of the conductor, which may let the request wait for room ${PLAN_ANSWER_MS} ms less`,
  ),
  prefillMs: milliseconds(120_000, 'First token of a leg'),
  handoverMs: milliseconds(15_000, 'From the first token until decode has taken over'),
  idleMs: milliseconds(30_000, 'Silence of an engine between two tokens'),
  generationMs: milliseconds(600_000, 'A whole answer that is not streamed'),
  clientStallMs: milliseconds(30_000, 'A client that takes nothing of its stream'),
  stopMs: milliseconds(1_800, 'Requests that are open when the gateway is asked to stop'),
});

/** What clients may ask for in headers. */
const sloLimitsSchema = z
  .strictObject({
    minTtftMs: milliseconds(100, 'Least time to the first token that a client may ask for'),
    maxTtftMs: milliseconds(600_000, 'Longest time to the first token that a client may ask for'),
    minTbtMs: milliseconds(5, 'Least time between two tokens that a client may ask for'),
    maxTbtMs: milliseconds(10_000, 'Longest time between two tokens that a client may ask for'),
  })
  .refine(({ minTtftMs, maxTtftMs }) => minTtftMs <= maxTtftMs, {
    ...{ path: ['maxTtftMs'], error: 'must be at least minTtftMs' },
  })
  .refine(({ minTbtMs, maxTbtMs }) => minTbtMs <= maxTbtMs, {
    ...{ path: ['maxTbtMs'], error: 'must be at least minTbtMs' },
  });

const MIN_SALT_CHARS = 16;
/** What a program can read in one piece. */
const MAX_LOG_BYTES = 500_000_000;

const recordSchema = z.strictObject({
  file: z
    .string()
    .min(1)
    .optional()
    .describe(
      'File for an anonymous log of requests, see docs/lab.md; one that is there is kept, and the next gets a number. None where it is not set',
    ),
  maxBytes: z
    .int()
    .min(1)
    .max(MAX_LOG_BYTES)
    .default(MAX_LOG_BYTES / 2)
    .describe('Size at which recording ends, bytes'),
  salt: z
    .string()
    .min(MIN_SALT_CHARS)
    .optional()
    .meta({ secret: true })
    .describe('Secret that the names of blocks are made with; a random one for each start'),
});

const accessFiles = {
  apiKeyFile: z.string().min(1).optional().describe('File with the API key of the engines'),
  caFile: z
    .string()
    .min(1)
    .optional()
    .describe('PEM file of the authority that signed the certificates of the engines'),
};

const engineAccessSchema = z.strictObject({
  ...accessFiles,
  engines: z
    .record(
      z
        .string()
        .refine((url) => plainEngineUrl(url) !== undefined)
        .overwrite((url) => plainEngineUrl(url) ?? url),
      z.strictObject(accessFiles),
      {
        error: ({ code }) =>
          code === 'invalid_key' ? 'must be a URL such as http://10.0.0.1:8000' : undefined,
      },
    )
    .default({})
    .describe('Others for single engines, by their URL'),
});

export const gatewayConfigSchema = z.strictObject({
  host: z.string().min(1).default('127.0.0.1').describe('Address to listen on'),
  port: z.int().min(0).max(65_535).default(8080).describe('Port to listen on; 0 takes a free one'),
  conductor: z.string().min(1).describe('host:port of the conductor'),
  exposeWorkers: z
    .boolean()
    .default(false)
    .describe('Name the workers in answer headers; always on when listening on loopback'),
  bodyLimitBytes: z
    .int()
    .min(1)
    .default(32 * 1024 * 1024)
    .describe('Largest request body, bytes'),
  defaultOutputTokens: z
    .int()
    .min(1)
    .default(1_024)
    .describe('Output limit of a request that sets none, tokens'),
  engineAccess: engineAccessSchema.prefault({}),
  timeLimits: timeLimitsSchema,
  sloLimits: sloLimitsSchema,
  record: recordSchema,
});

export type TimeLimits = z.infer<typeof timeLimitsSchema>;
export type SloLimits = z.infer<typeof sloLimitsSchema>;
export type RecordSettings = z.infer<typeof recordSchema>;
export type GatewayConfig = z.infer<typeof gatewayConfigSchema>;

const loopbackHosts = /^(localhost|::1|127(\.\d{1,3}){3})$/;

export function showsWorkers(config: Pick<GatewayConfig, 'host' | 'exposeWorkers'>): boolean {
  return config.exposeWorkers || loopbackHosts.test(config.host);
}
