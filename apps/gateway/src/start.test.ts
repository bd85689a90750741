import { execFile } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

/** For a start on a busy machine: bounds a failure, not a speed. */
const ENDED_MS = 30_000;

test('a gateway that cannot listen keeps nothing open: its process ends by itself', async () => {
  const taken = createServer();
  onTestFinished(() => void taken.close());
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const { port } = taken.address() as AddressInfo;
  const script = `
    import { startGatewayService } from ${JSON.stringify(import.meta.resolve('./start.ts'))};
    import { gatewayConfigSchema } from ${JSON.stringify(import.meta.resolve('./config.ts'))};
    const nothing = () => undefined;
    const log = { debug: nothing, info: nothing, warn: nothing, error: nothing };
    const config = gatewayConfigSchema.parse({
      ...{ host: '127.0.0.1', port: ${port}, conductor: '127.0.0.1:9' },
      ...{ timeLimits: {}, sloLimits: {}, record: {} },
    });
    await startGatewayService({ config, gatewayId: 'g', log }).catch(({ code }) => console.log(code));
  `;
  const args = ['--input-type=module', '-e', script];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: ENDED_MS });
  expect(stdout).toBe('EADDRINUSE\n');
}, 60_000);
