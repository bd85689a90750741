import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { runService, type StartedService } from '../index.ts';

const [mode, argument] = process.argv.slice(2);
const never = (): Promise<void> => new Promise(() => setInterval(() => undefined, 1_000));
const fault = (): Error => new Error('on purpose');

process.on('message', (message) => {
  if (message === 'ping') process.send?.('pong');
});

await runService({
  name: 'fixture',
  start: async ({ log, signal }): Promise<StartedService> => {
    if (mode === 'throw-at-start') throw fault();
    if (mode === 'own-code') {
      throw Object.assign(new Error('the model file is missing'), { code: 'model_missing' });
    }
    if (mode === 'listen') {
      await once(createServer().listen(Number(argument), '127.0.0.1'), 'listening');
    }
    if (mode === 'flood') {
      for (let line = 0; line < 40_000; line++) log.info({ event: 'flood', line }, 'x'.repeat(100));
      process.send?.('still alive');
    }
    if (mode === 'slow-start') {
      process.send?.('starting');
      await sleep(60_000, undefined, { signal });
    }
    if (mode === 'throw-later') {
      setImmediate(() => {
        throw fault();
      });
    }
    if (mode === 'reject-later') setImmediate(() => void Promise.reject(fault()));
    return {
      endpoints: { http: 'http://127.0.0.1:1' },
      stop: async () => {
        if (mode === 'hang') await never();
        log.info({ event: 'app_stopped' }, 'app stopped');
      },
    };
  },
});
