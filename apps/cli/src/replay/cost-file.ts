import { readFileSync } from 'node:fs';
import { BatonError } from '@baton/kv';
import { fittedCost, type EngineCost } from '@baton/sim';
import { z } from 'zod';

/** Of one term, ms; with more of it a replay would not end. */
const MAX_TERM_MS = 1e6;
/** As `--kv-bytes-per-token` and `--chunk-tokens` have it. */
const MAX_KV_BYTES = 1e9;
const MAX_CHUNK_TOKENS = 10_000_000;

const notNegative = z.number().min(0).max(MAX_TERM_MS);

/** An engine as it was measured, see docs/lab.md. */
export const costFileSchema = z.strictObject({
  name: z.string().min(1),
  kvBytesPerToken: z.number().positive().max(MAX_KV_BYTES),
  chunkTokens: z.int().positive().max(MAX_CHUNK_TOKENS).default(8192),
  firstToken: z.enum(['prefill', 'decode']).default('prefill'),
  prefill: z
    .strictObject({
      fixedMs: notNegative,
      perTokenMs: notNegative,
      perPairMs: notNegative,
    })
    .refine(({ perTokenMs, perPairMs }) => perTokenMs + perPairMs > 0, {
      message: 'perTokenMs or perPairMs must be more than 0',
    }),
  decode: z.strictObject({
    fixedMs: notNegative,
    perSequenceMs: notNegative,
    perKvTokenMs: notNegative,
  }),
});

/** What such a file says, with its defaults. */
export type CostFile = z.infer<typeof costFileSchema>;

/** @throws BatonError config_invalid that names the file, the field and what would be right */
export function readCostFile(file: string): EngineCost {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''));
  } catch (error) {
    const message = `--cost-model must be a800, dynamo or a JSON file; ${file} cannot be read as one.`;
    throw new BatonError('config_invalid', message, { cause: error });
  }
  const parsed = costFileSchema.safeParse(value);
  if (parsed.success) return fittedCost(parsed.data);
  const [issue] = parsed.error.issues;
  const where = issue?.path.join('.') || 'the file';
  throw new BatonError('config_invalid', `--cost-model ${file}: ${where}: ${issue?.message}`, {
    details: { field: where },
  });
}
