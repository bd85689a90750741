import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { serveSessions, type SessionServer } from '@baton/rpc';
import type { baton } from '@baton/proto';
import {
  eventually,
  readStream,
  send,
  startOtlpReceiver,
  type OtlpReceiver,
} from '@baton/test-kit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EngineStandIn, Handovers } from './testing/engine-stand-in.ts';
import { SessionStandIn } from './testing/session-stand-in.ts';
import { wordsFrom } from './testing/stand-in-answers.ts';
import { CHAT, chatBody, MODEL } from './testing/test-fleet.ts';

const main = path.join(import.meta.dirname, 'main.ts');
const children: ChildProcess[] = [];

interface Started {
  child: ChildProcess;
  url: string;
  log: Record<string, unknown>[];
}

async function startProcess(args: string[], env: NodeJS.ProcessEnv = {}): Promise<Started> {
  const child = spawn(process.execPath, [main, ...args], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: { ...process.env, ...env },
  });
  children.push(child);
  const log: Record<string, unknown>[] = [];
  let rest = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    log.push(...lines.map((line) => JSON.parse(line) as Record<string, unknown>));
  });
  const exited = once(child, 'exit').then(([code]) => {
    throw new Error(`the gateway ended with ${String(code)} instead of getting ready`);
  });
  exited.catch(() => undefined);
  const [message] = (await Promise.race([once(child, 'message'), exited])) as [
    { endpoints: { http: string } },
  ];
  return { child, url: message.endpoints.http, log };
}

let conductor: SessionServer;
let plans: SessionStandIn;
let engines: EngineStandIn[];
let receiver: OtlpReceiver;
beforeEach(async () => {
  const handovers = new Handovers();
  engines = await Promise.all(
    ['prefill-1', 'decode-1'].map((workerId) => EngineStandIn.start({ workerId, handovers })),
  );
  plans = new SessionStandIn();
  [plans.prefill, plans.decode] = [engines.slice(0, 1), engines.slice(1)];
  const pool = { model: MODEL, tokenization: 'chars', segmentTokens: 4, maxModelTokens: 500 };
  const workers = engines.map(({ workerId, url }) => ({ workerId, engineUrl: url }));
  conductor = await serveSessions({
    host: '127.0.0.1',
    port: 0,
    onFault: (error) => plans.violations.push(String(error)),
    onSession: (session) => {
      session.sendFleet({ models: [{ ...pool, workers, ready: true }] });
      return {
        onPlan: (request) => {
          const { signal } = new AbortController();
          const { maxWaitMs = 0, excludeWorkers, keptTurn = null, ...rest } = request;
          const { adapter = null, ...others } = rest;
          const more = { keptTurn, adapter, excludeWorkers: [...excludeWorkers] };
          const asked = { ...others, maxWaitMs, ...more };
          void plans.plan(asked, signal, 60_000).then((reply) => session.sendPlan(reply));
        },
        onReport: (report: baton.v1.PlanReport) => plans.report(report),
        onClose: () => undefined,
      };
    },
  });
  receiver = await startOtlpReceiver();
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await conductor.close();
  await Promise.all(engines.map((engine) => engine.stop()));
  await receiver.close();
});

const target = () => `127.0.0.1:${conductor.port}`;

test('a request through the process: answer, one trace, one log line, a clean stop', async () => {
  const env = { BATON_TRACE_ENDPOINT: receiver.tracesEndpoint };
  const { child, url, log } = await startProcess(['--conductor', target(), '--port', '0'], env);
  await waitForHealth(url);
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };
  const response = await send(url, CHAT, chatBody({ stream: true }), { headers });
  expect(response.headers.get('x-baton-decode-worker')).toBe('decode-1');
  expect((await readStream(response)).text).toBe(wordsFrom(0, 6));
  await eventually(() => plans.booked.size === 0);
  await eventually(() => log.some((line) => line['event'] === 'request'));

  child.kill('SIGTERM');
  const [code] = (await once(child, 'exit')) as [number];
  expect(code).toBe(0);
  const byName = new Map(receiver.spans.map((span) => [span.name, span]));
  const root = byName.get(`chat ${MODEL}`);
  expect([...byName.keys()].sort()).toEqual([
    `chat ${MODEL}`,
    'leg.decode',
    'leg.prefill',
    'tokenize',
  ]);
  expect(root).toMatchObject({ traceId, parentSpanId: 'b7ad6b7169203331' });
  for (const name of ['leg.decode', 'leg.prefill', 'tokenize']) {
    expect(byName.get(name)).toMatchObject({ traceId, parentSpanId: root?.spanId });
  }
  expect(plans.requests[0]?.traceparent).toBe(`00-${traceId}-${root?.spanId}-01`);
  for (const { kind, headers: sent } of engines.flatMap((engine) => engine.legs)) {
    const span = byName.get(`leg.${kind}`);
    expect(sent['traceparent']).toBe(`00-${traceId}-${span?.spanId}-01`);
  }
  const names = new Set(receiver.spans.flatMap((span) => Object.keys(span.attributes)));
  expect([...names]).toEqual(
    expect.arrayContaining([
      'gen_ai.operation.name',
      'gen_ai.usage.input_tokens',
      'baton.plan.id',
      'baton.computed_tokens',
    ]),
  );
  expect(plans.violations.concat(engines.flatMap((engine) => engine.violations))).toEqual([]);
});

test('a conductor that comes later is found, and one that goes is missed by /health', async () => {
  const { port } = conductor;
  const { url } = await startProcess(['--conductor', target(), '--port', '0']);
  await waitForHealth(url);
  await conductor.close(0);
  await waitForHealth(url, 503);
  expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ conductor: 'disconnected' });
  const refused = await send(url, CHAT, chatBody());
  expect([refused.status, await refused.json()]).toMatchObject([
    503,
    { error: { code: 'conductor_unavailable' } },
  ]);
  conductor = await serveSessions({
    host: '127.0.0.1',
    port,
    onFault: () => undefined,
    onSession: (session) => {
      session.sendFleet({ models: [{ model: MODEL, segmentTokens: 4, workers: [], ready: true }] });
      return { onPlan: () => undefined, onReport: () => undefined, onClose: () => undefined };
    },
  });
  await waitForHealth(url);
});

test('a port that is taken and a flag that does not exist end the start with one sentence', async () => {
  const { url } = await startProcess(['--conductor', target(), '--port', '0']);
  for (const args of [
    ['--port', new URL(url).port],
    ['--colour', 'red'],
  ]) {
    const child = spawn(process.execPath, [main, '--conductor', target(), ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.push(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data) => (output += data));
    const [code] = (await once(child, 'close')) as [number];
    expect(code).toBe(1);
    expect(output).toMatch(/port|colour/);
    expect(output).not.toContain('    at ');
  }
});

const waitForHealth = (url: string, status = 200): Promise<void> =>
  eventually(async () => expect((await fetch(`${url}/health`)).status).toBe(status));

test('a place where requests cannot be recorded is named, and nothing is served', async () => {
  const args = ['--conductor', '127.0.0.1:1', '--port', '0', '--record-file', import.meta.dirname];
  const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text));
  const [code] = (await once(child, 'close')) as [number];
  expect(code).toBe(1);
  expect(said).toContain(`record.file ${import.meta.dirname} cannot be written: it is a folder`);
  expect(said).not.toContain('"event":"ready"');
});
