import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { TraceStore } from '../trace/trace-store.ts';
import { Screen } from '../up/screen.ts';
import { ServeLines } from './serve-lines.ts';

function linesOf(isVerbose = false): { lines: ServeLines; shown: () => string } {
  const out = new PassThrough();
  const lines = new ServeLines(new Screen(out, {}), new TraceStore(), isVerbose);
  return { lines, shown: () => String((out.read() as Buffer | null) ?? '') };
}

const found = {
  ...{ level: 'info', event: 'engine_found', workerId: 'a-1', engine: 'vllm', version: '0.32.0' },
  ...{ model: 'tiny', index: 'approximate', connector: '', why: 'it publishes no KV events' },
};

test('an engine that is found is a line that says how much is known of it, and why no more', () => {
  const { lines, shown } = linesOf();
  lines.log(`${JSON.stringify(found)}\n`);
  expect(shown()).toBe(
    '  a-1: vllm 0.32.0 with tiny, index approximate: it publishes no KV events\n',
  );
  lines.log(JSON.stringify({ ...found, index: 'exact', connector: 'nixl', why: undefined }));
  expect(shown()).toBe('  a-1: vllm 0.32.0 with tiny, nixl hands KV over, index exact\n');
});

test('a pod that goes is a line that says why', () => {
  const { lines, shown } = linesOf();
  const msg = 'vllm-0 gets nothing new: it is being deleted';
  lines.log(`${JSON.stringify({ level: 'info', event: 'pod_gone', workerId: 'vllm-0', msg })}\n`);
  const left = { level: 'info', event: 'worker_lost', reason: 'left', msg: 'a worker is gone' };
  lines.log(JSON.stringify({ ...left, workerId: 'vllm-0' }));
  const again = { event: 'pod_resumed', workerId: 'vllm-1', msg: 'vllm-1 is ready again' };
  lines.log(JSON.stringify({ level: 'info', ...again }));
  expect(shown()).toBe('  vllm-0 gets nothing new: it is being deleted\n  vllm-1 is ready again\n');
});

test('the start says how many engines there are, and how many of them are in trouble', () => {
  const { lines, shown } = linesOf();
  const urls = { gatewayUrl: 'http://g', conductorUrl: 'http://c' };
  lines.ready({ engines: 2, serving: 2, ...urls });
  const good = shown();
  expect(good).toContain('in front of 2 engines');
  expect(good).toContain('http://g/v1');
  expect(good).not.toContain('cannot be served');
  expect(good).toMatch(/Ctrl-C +stops Baton; the engines go on\n/);
  expect(good).not.toContain('npx baton status');
  lines.ready({ engines: 1, serving: 0, ...urls });
  expect(shown()).toMatch(/in front of one engine\n1 of them cannot be served now/);
  lines.ready({ engines: 2, serving: 2, areStandIns: true, ...urls });
  expect(shown()).toMatch(/Ctrl-C +stops everything\n/);
  lines.ready({ engines: 0, serving: 0, agents: { traceEndpoint: 'http://t' }, ...urls });
  expect(shown()).toMatch(/engines whose agents come\n[^]*npx baton status +who has come\n/);
});

test('requests and warnings are shown, everything else only where all is wanted', () => {
  const { lines, shown } = linesOf();
  lines.log(JSON.stringify({ level: 'warn', event: 'engine_unusable', msg: 'it is away' }));
  expect(shown()).toBe('serve: warning: it is away\n');
  lines.log(JSON.stringify({ level: 'info', event: 'ready', msg: 'ready' }));
  expect(shown()).toBe('');
  const time = new Date().toISOString();
  const record = { event: 'request', requestId: 'r1', time, prefillWorker: 'a-1', status: 200 };
  lines.log(JSON.stringify({ level: 'info', ...record, mode: 'aggregated', decodeWorker: 'a-1' }));
  expect(shown()).toContain('a-1');
  const all = linesOf(true);
  all.lines.log('{"level":"info","event":"ready"}\n');
  expect(all.shown()).toBe('{"level":"info","event":"ready"}\n');
});
