import { createServer, type AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { listenFault } from './ports.ts';

it('says in a sentence that another process was faster, and leaves other faults as they are', async () => {
  const [one, other] = [createServer(), createServer()];
  await new Promise<void>((resolve) => one.listen(0, '127.0.0.1', resolve));
  const { port } = one.address() as AddressInfo;
  const fault = await new Promise((resolve) =>
    other.once('error', resolve).listen(port, '127.0.0.1'),
  );
  expect(listenFault(fault)).toMatchObject({
    code: 'port_in_use',
    message: expect.stringContaining(`Port ${port} on 127.0.0.1 was taken`) as string,
  });
  const another = new Error('another');
  expect(listenFault(another)).toBe(another);
  await new Promise((resolve) => one.close(resolve));
});
