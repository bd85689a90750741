import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { paintFor } from '../render/terminal-text.ts';
import { runPolicy, type PolicyChange } from './policy-command.ts';

const nothing = {
  ...{ policy: undefined, prefillPolicy: undefined },
  ...{ decodePolicy: undefined, queue: undefined },
};
const inForce = {
  defaults: { policy: 'kv-centric', queue: 'shortest' },
  models: { tiny: { queue: 'fcfs' }, tyni: { prefillPolicy: 'random' } },
  modelsWithoutWorkers: ['tyni'],
  known: [],
};

async function policy(
  change: Partial<PolicyChange>,
  answer: object,
): Promise<{ printed: string[]; sent: string[] }> {
  const sent: string[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const part of request) text += String(part);
    if (request.method === 'PUT') sent.push(`${request.url} ${text}`);
    response.end(JSON.stringify(request.method === 'PUT' ? answer : inForce));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const printed: string[] = [];
  await runPolicy(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {
    ...{ model: 'tyni', change: { ...nothing, ...change }, json: false },
    ...{ paint: paintFor(false, {}), print: (line) => void printed.push(line) },
  });
  return { printed, sent };
}

test('only what is named is sent, "default" takes it back, and a warning is shown', async () => {
  const change = { policy: 'random', queue: 'default' };
  const { printed, sent } = await policy(change, { warning: 'no worker serves "tyni" now' });
  expect(sent).toEqual(['/policies/tyni {"policy":"random","queue":null}']);
  expect(printed.at(-1)).toBe('Note: no worker serves "tyni" now.');
});

test('a model is shown with what it goes by, and whether any worker serves it', async () => {
  const { printed } = await policy({ policy: 'random' }, {});
  expect(printed).toEqual([
    'all models   kv-centric, queue shortest',
    'tiny   kv-centric, queue fcfs',
    'tyni   prefill random, decode kv-centric, queue shortest   (no worker)',
  ]);
});
