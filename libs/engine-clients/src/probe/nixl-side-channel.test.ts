import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { nixlSideChannel } from './nixl-side-channel.ts';

async function listening<T extends Server>(server: T): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** A prefill worker that answers with these hand-over parameters, and what it was asked. */
async function engine(params: object | null) {
  const asked: unknown[] = [];
  const server = createHttpServer((request, response) => {
    let text = '';
    request.on('data', (bytes: Buffer) => (text += bytes.toString()));
    request.on('end', () => {
      asked.push(JSON.parse(text));
      response.end(JSON.stringify({ choices: [], kv_transfer_params: params }));
    });
  });
  const engineUrl = `http://127.0.0.1:${await listening(server)}`;
  return { asked, options: { engineUrl, signal: AbortSignal.any([]) } };
}

const placeAt = (port: number): object => ({
  ...{ do_remote_prefill: true, remote_engine_id: 'e', remote_block_ids: [[1]] },
  ...{ remote_host: '127.0.0.1', remote_port: port, tp_size: 1 },
});

test('it is where the handover of a prompt says, and is tried', async () => {
  const port = await listening(createServer((socket) => socket.on('error', () => undefined)));
  const { options, asked } = await engine(placeAt(port));
  expect(await nixlSideChannel(options, 'm')).toEqual({
    host: '127.0.0.1',
    port,
    problem: undefined,
  });
  expect(asked).toMatchObject([{ model: 'm', max_tokens: 1, prompt: [1, 2, 3] }]);
});

test('one that nobody listens at is said to be', async () => {
  const server = createServer();
  const port = await listening(server);
  server.close();
  await once(server, 'close');
  const { options } = await engine(placeAt(port));
  expect(await nixlSideChannel(options, 'm')).toMatchObject({ port, problem: 'ECONNREFUSED' });
});

test('a worker that hands nothing over has none', async () => {
  const { options } = await engine(null);
  expect(await nixlSideChannel(options, 'm')).toBeUndefined();
});
