/**
 * Stands for conductor, gateway, engine or agent in tests of `up`: announces itself, answers what `up` asks, and
 * misbehaves as STAND_IN_FAULTS says: `{"agent decode-1": "exit"}`.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';

const { argv, env } = process;
const flag = (name: string): string | undefined => {
  const at = argv.indexOf(`--${name}`);
  return at < 0 ? undefined : argv[at + 1];
};
const kind =
  flag('grpc-port') !== undefined
    ? 'conductor'
    : flag('conductor') !== undefined
      ? 'gateway'
      : flag('model') !== undefined
        ? 'engine'
        : 'agent';
const workerId = flag('worker-id');
const name = workerId === undefined ? kind : `${kind} ${workerId}`;
const faults = JSON.parse(env['STAND_IN_FAULTS'] ?? '{}') as Record<string, string>;
const fault = faults[name];
const log = (level: string, fields: object): void =>
  console.log(JSON.stringify({ level, time: new Date().toISOString(), service: kind, ...fields }));

const pids = env['STAND_IN_PIDS'] ?? '.';
mkdirSync(pids, { recursive: true });
writeFileSync(path.join(pids, name), String(process.pid));

function giveUp(): never {
  log('info', { event: 'note', msg: 'the last words' });
  log('fatal', { event: 'start_failed', msg: `${name} has no luck` });
  process.exit(3);
}
if (fault === 'exit') giveUp();
process.on('disconnect', () => process.exit(0));
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {
  if (fault !== 'stubborn') process.exit(0);
});

const workers = (env['STAND_IN_WORKERS'] ?? '').split(',').map((id) => ({
  reason: fault === 'knows no fleet' ? 'its engine has not come yet' : '',
  workerId: id,
  role: id.split('-')[0],
  model: 'stand-in',
  segmentTokens: 64,
  kvCapacityBlocks: 256,
  state: fault === 'knows no fleet' ? 'starting' : 'ready',
  loads: [{ runningSequences: 1, kvUsedBlocks: 12 }],
  tiers: [{ tier: 'dram', segments: 3, capacitySegments: 64 }],
  counters: { bytesIn: 1_000_000, bytesOut: 0 },
}));
const answers: Record<string, () => unknown> = {
  '/workers': () => ({ workers }),
  '/plans': () => ({ plans: [] }),
  '/v1/models': () => ({ data: [{ id: 'stand-in' }] }),
  '/tokenize': () => ({ count: 353 }),
  '/die': () => process.kill(process.pid, 'SIGKILL'),
  '/lose': () => workers.pop(),
  '/complain': () => log('error', { event: 'trouble', msg: 'something is odd' }),
  '/v1/chat/completions': () =>
    log('info', {
      event: 'request',
      requestId: 'r-1',
      prefillWorker: 'prefill-1',
      decodeWorker: 'decode-1',
      promptTokens: 353,
      computedTokens: 353,
      ttftMs: 12,
      outcome: 'finished',
    }),
};
const server = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost');
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(answers[pathname]?.() ?? {}));
});
server.on('error', (error) => {
  log('fatal', { event: 'start_failed', msg: error.message });
  process.exit(1);
});
server.listen({ host: '127.0.0.1', port: Number(flag('port') ?? flag('admin-port') ?? 0) }, () => {
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  log('info', { event: 'ready', msg: 'ready' });
  if (fault === 'never ready') return;
  const endpoints = { http: url, admin: url, grpc: `127.0.0.1:${port}` };
  process.send?.({ type: 'ready', endpoints }, () => {
    if (fault === 'exit when ready') giveUp();
  });
});
