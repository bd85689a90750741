/** `up` with stand-ins for all services: `node stand-in-up.ts '{"prefill":1}'`. */
import path from 'node:path';
import { up } from '../up/up.ts';
import type { UpOptions } from '../up/up-options.ts';

const standIn = path.join(import.meta.dirname, 'stand-in-service.ts');
const defaults: UpOptions = {
  model: 'tiny',
  prefill: 1,
  decode: 1,
  port: undefined,
  host: '127.0.0.1',
  adminPort: undefined,
  policy: undefined,
  queue: undefined,
  record: undefined,
  reproducible: false,
  dramBytes: undefined,
  natsServer: undefined,
  readyTimeoutMs: 60_000,
  verbose: false,
};
process.exitCode = await up(
  { ...defaults, ...(JSON.parse(process.argv[2] ?? '{}') as Partial<UpOptions>) },
  {
    out: process.stdout,
    env: process.env,
    stopGraceMs: Number(process.env['STAND_IN_GRACE_MS'] ?? 3000),
    mains: { conductor: standIn, gateway: standIn, engine: standIn, agent: standIn },
  },
).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  return 1;
});
