import { loadConfig } from '@baton/config';
import { expect, test } from 'vitest';
import { gatewayConfigSchema } from './config.ts';

const load = (...flags: string[]): unknown => {
  const argv = ['--conductor', 'localhost:7070', ...flags];
  return loadConfig({ name: 'gateway', schema: gatewayConfigSchema, argv, env: {} });
};

test.each([
  ['--slo-limits-max-ttft-ms', '50', 'must be at least minTtftMs'],
  ['--slo-limits-min-tbt-ms', '20000', 'must be at least minTbtMs'],
])('limits between which there is nothing are refused: %s %s', (flag, value, message) => {
  expect(() => load(flag, value)).toThrow(message);
  expect(load('--slo-limits-max-ttft-ms', '100')).toBeTruthy();
});

test('access to an engine goes by its URL, however it is written', () => {
  const access = (url: string) =>
    gatewayConfigSchema.safeParse({
      ...{ conductor: 'localhost:7070', timeLimits: {}, sloLimits: {}, record: {} },
      engineAccess: { engines: { [url]: { apiKeyFile: '/key' } } },
    });
  const known = { 'http://a:1': { apiKeyFile: '/key' } };
  expect(access('http://a:1/').data?.engineAccess.engines).toEqual(known);
  expect(access('HTTP://A:1/b/..').data?.engineAccess.engines).toEqual(known);
  expect(access('http://me:secret@a:1').success).toBe(false);
  expect(access('a').error?.issues).toMatchObject([
    { path: ['engineAccess', 'engines', 'a'], message: expect.stringContaining('must be a URL') },
  ]);
});
