import { expect, test } from 'vitest';
import { engineUrl, servedEngines, type ServeOptions } from './serve-options.ts';

const none: ServeOptions = {
  ...{ worker: [], prefill: [], decode: [], host: '127.0.0.1', verbose: false },
  ...{ port: undefined, adminPort: undefined, policy: undefined, queue: undefined },
  kvBytesPerToken: undefined,
};

test('engines in their roles, with what is said of all of them', () => {
  const given = { worker: ['http://a:1'], prefill: ['http://b:1'], decode: ['http://c:1'] };
  expect(servedEngines({ ...none, ...given })).toEqual({
    engines: [
      { url: 'http://a:1', role: 'both' },
      { url: 'http://b:1', role: 'prefill' },
      { url: 'http://c:1', role: 'decode' },
    ],
  });
  expect(servedEngines({ ...none, worker: ['http://a:1'], kvBytesPerToken: 5 })).toEqual({
    engines: [{ url: 'http://a:1', role: 'both', kvBytesPerToken: 5 }],
  });
});

test('pods by their labels, beside engines that are named or alone', () => {
  const pods = { kubernetesSelector: 'app=vllm', kubernetesPort: '8001' };
  expect(servedEngines({ ...none, ...pods, kvBytesPerToken: 5 })).toMatchObject({
    engines: [],
    kubernetes: { selector: 'app=vllm', port: 8001, kvBytesPerToken: 5 },
  });
  const decode = { kubernetesDecodeSelector: 'role=d', kubernetesPort: 'http' };
  expect(servedEngines({ ...none, prefill: ['http://a:1'], ...decode })).toMatchObject({
    engines: [{ role: 'prefill' }],
    kubernetes: { decodeSelector: 'role=d', port: 'http' },
  });
});

test.each([
  [{}, 'Which engines?'],
  [{ prefill: ['http://a:1'] }, '--prefill workers answer nobody'],
  [{ kubernetesPrefillSelector: 'role=p' }, '--prefill workers answer nobody'],
  [{ worker: ['http://a:1'], kubernetesPort: '1' }, 'Which pods?'],
  [{ kubernetesNamespace: 'a' }, 'Which pods?'],
  [{ worker: ['http://a:1'], decode: ['http://a:1'] }, 'The engine http://a:1 is given twice'],
])('%j is refused', (given, message) => {
  expect(() => servedEngines({ ...none, ...given })).toThrow(message);
});

test('a URL is one of an HTTP server, and several of them add up', () => {
  const add = engineUrl('--worker');
  expect(add('http://b:2/', add('https://a/path', []))).toEqual(['https://a/path', 'http://b:2']);
  expect(() => add('http://a:1/v1/', [])).toThrow('give http://a:1 instead of http://a:1/v1');
  for (const text of ['', 'a:1', 'ftp://a', 'http://u:p@a', 'http://a?x=1', 'http://a#x']) {
    expect(() => add(text, [])).toThrow('--worker must be the URL of a running engine');
  }
});
