import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ConfigError } from './config-error.ts';
import { configReference } from './help.ts';
import { environmentForChild, keptFromChild, resolveConfig } from './load-config.ts';
import { optionsOf } from './options.ts';

const schema = z.object({
  port: z.int().min(0).max(65535).default(8080).describe('Port of the HTTP API'),
  host: z.string().default('127.0.0.1'),
  role: z.enum(['prefill', 'decode', 'both']).default('both'),
  reproducible: z.boolean().default(false),
  worker: z.array(z.url()).default([]),
  apiKey: z.string().min(8).optional().meta({ secret: true }),
  ratio: z.number().positive().default(0.5),
  transfer: z.object({
    streams: z.int().min(1).default(4),
    maxBytesPerSec: z.number().optional(),
  }),
  tls: z.object({ cert: z.string(), key: z.string() }).optional(),
  weights: z.record(z.string(), z.number()).default({}),
});

let folder: string;
beforeAll(() => (folder = mkdtempSync(path.join(tmpdir(), 'baton-config-'))));
afterAll(() => rmSync(folder, { recursive: true }));

function file(content: unknown): string {
  const name = path.join(folder, `${Math.random()}.json`);
  writeFileSync(name, typeof content === 'string' ? content : JSON.stringify(content));
  return name;
}

function resolve(argv: string[], env: Record<string, string> = {}) {
  return resolveConfig({ name: 'gateway', schema, argv, env });
}

function config(argv: string[], env: Record<string, string> = {}) {
  const resolved = resolve(argv, env);
  if (resolved.kind !== 'config') throw new Error('expected a configuration');
  return resolved.config;
}

function refusal(argv: string[], env: Record<string, string> = {}): string {
  try {
    resolve(argv, env);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).message;
  }
  throw new Error('was accepted');
}

describe('sources', () => {
  test('defaults alone', () => {
    expect(config([])).toEqual({
      port: 8080,
      host: '127.0.0.1',
      role: 'both',
      reproducible: false,
      worker: [],
      ratio: 0.5,
      transfer: { streams: 4 },
      weights: {},
    });
  });

  test('flags override environment, environment overrides file', () => {
    const name = file({ port: 1, host: 'file', role: 'prefill', transfer: { streams: 7 } });
    const result = config(['--config', name, '--port', '3'], {
      BATON_PORT: '2',
      BATON_HOST: 'env',
    });
    expect(result).toMatchObject({
      port: 3,
      host: 'env',
      role: 'prefill',
      transfer: { streams: 7 },
    });
  });

  test.each([
    [['--reproducible'], { reproducible: true }],
    [['--reproducible=false'], { reproducible: false }],
    [['--reproducible', '--no-reproducible'], { reproducible: false }],
    [['--worker', 'http://a:1', '--worker=http://b:2'], { worker: ['http://a:1', 'http://b:2'] }],
    [['--transfer-max-bytes-per-sec', '1e9'], { transfer: { streams: 4, maxBytesPerSec: 1e9 } }],
    [['--tls-cert', 'c', '--tls-key', 'k'], { tls: { cert: 'c', key: 'k' } }],
    [['--weights', '{"a":1}'], { weights: { a: 1 } }],
  ])('%j', (argv, expected) => {
    expect(config(argv)).toMatchObject(expected);
  });

  test('lists in the environment are separated by commas, an empty variable is unset', () => {
    const env = { BATON_WORKER: 'http://a:1, http://b:2', BATON_PORT: '' };
    expect(config([], env)).toMatchObject({ worker: ['http://a:1', 'http://b:2'], port: 8080 });
  });

  test('shared variables and service links of Kubernetes are no keys', () => {
    const env = {
      BATON_TRACE_ENDPOINT: 'http://127.0.0.1:1/v1/traces',
      BATON_GATEWAY_SERVICE_HOST: '10.0.0.1',
      BATON_GATEWAY_PORT: 'tcp://10.0.0.1:8080',
      BATON_GATEWAY_PORT_8080_TCP_ADDR: '10.0.0.1',
      HOME: '/root',
    };
    expect(config([], env).port).toBe(8080);
  });
});

describe('refusals name the key', () => {
  test.each([
    [['--prot', '1'], {}, '--prot is not known; did you mean --port?'],
    [
      [],
      { BATON_HOTS: 'x' },
      'the environment variable BATON_HOTS is not known; did you mean BATON_HOST?',
    ],
    [['--port', 'eighty'], {}, '--port must be integer ≥ 0 ≤ 65535, "eighty" is not'],
    [['--port', '70000'], {}, '--port: '],
    [['--port', '1.5'], {}, '--port: '],
    [[], { BATON_PORT: '-1' }, 'BATON_PORT: '],
    [['--port'], {}, '--port needs a value'],
    [['--port', '--host', 'x'], {}, '--port needs a value'],
    [['--role', 'prefil'], {}, '--role must be prefill | decode | both, "prefil" is not'],
    [['--reproducible=perhaps'], {}, '--reproducible must be boolean, "perhaps" is not'],
    [['--no-port'], {}, '--no-port is not known; did you mean --port?'],
    [['--worker', 'nonsense'], {}, '--worker: '],
    [['--tls-cert', 'c'], {}, 'tls.key is required: set --tls-key or BATON_TLS_KEY'],
    [['--ratio', '0'], {}, '--ratio: '],
    [['--weights', '{'], {}, '--weights must be JSON object'],
    [['serve'], {}, 'unexpected argument "serve"'],
    [
      ['--config', '/nowhere/baton.json'],
      {},
      'the configuration file /nowhere/baton.json does not exist',
    ],
  ])('%j %j', (argv, env, message) => {
    expect(refusal(argv, env as Record<string, string>)).toContain(message);
  });

  test.each([
    [{ prot: 1 }, /^prot in .* is not known; did you mean port\?/],
    [{ transfer: { stream: 1 } }, /^transfer\.stream in .*; did you mean transfer\.streams\?/],
    [{ transfer: 3 }, /^transfer in .* must be an object/],
    [{ port: '8080' }, /^port in .*: /],
    [{ __proto__: null, constructor: 1 }, /^constructor in .* is not known/],
    ['{"port":', /is not JSON/],
    ['[]', /must be an object/],
  ])('file %j', (content, message) => {
    expect(refusal(['--config', file(content)])).toMatch(message);
  });

  test('a secret is never repeated', () => {
    expect(refusal(['--api-key', 'tiny'])).not.toContain('tiny');
    expect(refusal(['--api-key', 'tiny'])).toContain('--api-key');
  });
});

describe('texts', () => {
  test('--print-config hides secrets and is a file that loads again', () => {
    const resolved = resolve(['--api-key', 'supersecret', '--port', '9', '--print-config']);
    if (resolved.kind !== 'print') throw new Error('expected a text');
    expect(resolved.text).not.toContain('supersecret');
    expect(JSON.parse(resolved.text)).toMatchObject({ port: 9, apiKey: '<hidden>' });
    expect(config(['--config', file(resolved.text)]).port).toBe(9);
  });

  test('--help and the reference name every key', () => {
    const resolved = resolve(['--help']);
    if (resolved.kind !== 'print') throw new Error('expected a text');
    const options = optionsOf(schema, 'BATON_');
    const reference = configReference({ name: 'gateway' }, options);
    expect(options).toHaveLength(12);
    for (const option of options) {
      expect(resolved.text).toContain(`--${option.flag}`);
      expect(resolved.text).toContain(option.env);
      expect(reference).toContain(`\`${option.key}\``);
    }
    expect(resolved.text).toContain('Port of the HTTP API');
  });
});

test('a child gets shared variables only; what somebody set in vain is named', () => {
  const env = { PATH: '/bin', BATON_PORT: '1', BATON_LOG_LEVEL: 'debug' };
  expect(environmentForChild(env)).toEqual({ PATH: '/bin', BATON_LOG_LEVEL: 'debug' });
  const links = { BATON_GATEWAY_PORT: 'tcp://10.0.0.1:1', BATON_GATEWAY_SERVICE_HOST: '10.0.0.1' };
  expect(keptFromChild({ ...env, ...links, BATON_HOST: 'x', BATON_POLICY: '' })).toEqual([
    'BATON_HOST',
    'BATON_PORT',
  ]);
});
