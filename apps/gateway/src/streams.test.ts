import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { eventually, readStream, send } from '@baton/test-kit';
import { afterEach, expect, test } from 'vitest';
import { wordsFrom } from './testing/stand-in-answers.ts';
import {
  CHAT,
  chatBody,
  COMPLETION,
  completionBody,
  startTestFleet,
  type TestFleet,
  type TestFleetOptions,
} from './testing/test-fleet.ts';

let fleet: TestFleet | undefined;
afterEach(() => fleet?.stop());

async function start(options: TestFleetOptions): Promise<TestFleet> {
  fleet = await startTestFleet(options);
  return fleet;
}

test.each([1, 2, 3, 7, 50])('streams cut by the network every %d bytes', async (writeBytes) => {
  const { url, settled } = await start({ engine: { writeBytes } });
  for (const [path, body] of [
    [CHAT, chatBody({ stream: true })],
    [COMPLETION, completionBody({ stream: true, logprobs: 1 })],
  ] as const) {
    const { text, done } = await readStream(await send(url, path, body));
    expect([text, done]).toEqual([wordsFrom(0, 6), true]);
  }
  await settled();
});

async function openStream(url: string, body: object): Promise<IncomingMessage> {
  const sent = request(url + COMPLETION, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    agent: false,
  });
  sent.end(JSON.stringify(body));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return response.on('error', () => undefined);
}

/** More than the sockets and buffers of all sides hold. */
const CHUNKS = 2_000;
const PADDING = 16_000;
const long = { engine: { words: CHUNKS, padding: PADDING } };
const longBody = completionBody({ stream: true, max_tokens: CHUNKS });

/** Waits until the decode workers have written nothing for a while. */
async function untilStill(decode: TestFleet['decode']): Promise<number> {
  const written = () => decode.reduce((sum, engine) => sum + engine.chunks, 0);
  for (let before = -1; before !== written();) {
    before = written();
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  return written();
}

test('a slow reader slows the engine down and then gets everything', async () => {
  const { url, decode, settled } = await start(long);
  const response = await openStream(url, longBody);
  expect(await untilStill(decode)).toBeLessThan(CHUNKS - 1);
  let bytes = 0;
  for await (const chunk of response) bytes += (chunk as Buffer).length;
  expect(bytes).toBeGreaterThan((CHUNKS - 1) * PADDING);
  await settled();
});

test('a client that reads nothing is cut off and its leg ended', async () => {
  const { url, requestLines, settled } = await start({
    ...long,
    timeLimits: { clientStallMs: 300 },
  });
  await openStream(url, longBody);
  await eventually(() => requestLines().length === 1);
  expect(requestLines()[0]).toMatchObject({ outcome: 'aborted' });
  await settled();
});

test('stopping: an open stream finishes, new requests are refused', async () => {
  const { url, gateway, decode, settled } = await start({ timeLimits: { stopMs: 5_000 } });
  const gate = Promise.withResolvers<void>();
  decode[0]?.gates.set('decode', gate.promise);
  const response = await send(url, CHAT, chatBody({ stream: true }));
  const stopped = gateway.stop();
  const refused = await send(url, CHAT, chatBody());
  expect(refused.status).toBe(503);
  expect(await refused.json()).toMatchObject({ error: { code: 'shutting_down' } });
  const health = await fetch(`${url}/health`);
  expect([health.status, await health.json()]).toMatchObject([503, { status: 'stopping' }]);
  gate.resolve();
  const { text, done } = await readStream(response);
  expect([text, done]).toEqual([wordsFrom(0, 6), true]);
  await stopped;
  await expect(fetch(url)).rejects.toThrow();
  await settled();
});

test('stopping: what does not finish in time ends with an error', async () => {
  const { url, gateway, decode, settled, session } = await start({ timeLimits: { stopMs: 100 } });
  const never = new Promise<void>(() => undefined);
  for (const engine of decode) engine.gates.set('decode', never);
  const streamed = await send(url, CHAT, chatBody({ stream: true }));
  const whole = send(url, CHAT, chatBody());
  await eventually(() => session.requests.length === 2);
  await gateway.stop();
  const { error, done } = await readStream(streamed);
  expect([error?.code, done]).toEqual(['shutting_down', true]);
  const answer = await whole;
  expect([answer.status, await answer.json()]).toMatchObject([
    503,
    { error: { code: 'shutting_down' } },
  ]);
  await settled();
});
