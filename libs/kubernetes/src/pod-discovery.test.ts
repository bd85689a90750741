import { writeFileSync } from 'node:fs';
import { eventually } from '@baton/test-kit';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { PodDiscovery } from './pod-discovery.ts';
import { ApiStandIn } from './testing/api-stand-in.ts';
import { Discovered } from './testing/discovered.ts';
import { testPod } from './testing/test-pods.ts';

let api: ApiStandIn;
const discovered = (options: ConstructorParameters<typeof Discovered>[0] = {}) =>
  new Discovered(options, () => api.watches > 0);
beforeEach(async () => {
  api = await ApiStandIn.start();
  process.env['KUBECONFIG'] = api.kubeconfig;
});
afterEach(async () => {
  await api.close();
  expect(api.violations).toEqual([]);
});

test('selectors give roles; a pod that two of them match has that of the narrower one', async () => {
  api.pods.put(testPod('p', { labels: { app: 'vllm', role: 'p' } }));
  api.pods.put(testPod('d', { labels: { app: 'vllm', role: 'd' } }));
  api.pods.put(testPod('w'));
  const roles = { prefillSelector: 'app=vllm,role=p', decodeSelector: 'app=vllm,role=d' };
  const found = discovered(roles);
  await found.has('d', 'p', 'w');
  await eventually(() => {
    expect([...found.engines.values()].map((text) => text.split(' ')[0]).sort()).toEqual([
      ...['both', 'decode', 'prefill'],
    ]);
    expect(api.watches).toBe(3);
  });
});

test('more pods than fit into one page; a list that outlives its version begins anew', async () => {
  for (let i = 0; i < 600; i += 1) api.pods.put(testPod(`p${String(i).padStart(3, '0')}`));
  api.faults = { pauseMs: 30 };
  const found = discovered();
  await eventually(() => api.requests.some((url) => url.includes('continue=')));
  api.pods.delete('p599');
  api.pods.compact();
  api.faults = {};
  await eventually(() => expect(found.engines.size).toBe(599));
  expect(found.engines.has('p599')).toBe(false);
});

test.each([
  ['ends', () => api.endWatches()],
  ['breaks in the middle of a line', () => api.cutWatches()],
  ['goes with its server', () => api.kill().then(() => api.serve())],
  ['says that it is behind', () => api.say('{"type":"ERROR","object":{"code":410}}')],
  ['says what is no JSON', () => api.say('{"type":')],
  ['says what is no event', () => api.say('{"kind":"Status"}')],
  ['says a pod without a name', () => api.say('{"type":"ADDED","object":{"metadata":{}}}')],
  ['reports a fault', () => api.say('{"type":"ERROR","object":{"code":500,"message":"etcd"}}')],
])('a watch that %s is followed by a list, and what that lacks is gone', async (_what, happens) => {
  api.pods.put(testPod('a'));
  api.pods.put(testPod('b', { podIP: '10.0.0.2' }));
  const found = discovered();
  await found.has('a', 'b');
  // None of this is told to those who watch.
  api.faults = { isSilent: true };
  api.pods.delete('b');
  api.pods.put(testPod('c', { podIP: '10.0.0.3' }));
  api.pods.compact();
  api.faults = {};
  await happens();
  await found.has('a', 'c');
  expect(found.log).toEqual(['+ a', '+ b', '- b: it is gone, or its labels match no more', '+ c']);
  // What comes after is heard on the new watch.
  api.pods.delete('a');
  await found.has('c');
});

test('a watch from a version that is forgotten is followed by a list', async () => {
  api.pods.put(testPod('a'));
  api.faults = { refusesWatch: { code: 410, reason: 'Expired', message: 'too old' } };
  const found = discovered();
  await eventually(() => api.lists > 3);
  expect(found.problems).toEqual([]);
  api.faults = {};
  await found.has('a');
});

test('a watch on which nothing comes is lost, and one with bookmarks is not', async () => {
  api.pods.put(testPod('a'));
  const found = discovered({ timing: { firstPauseMs: 10, maxPauseMs: 10, silenceMs: 400 } });
  await found.has('a');
  const ticking = setInterval(() => api.bookmark(), 50);
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect(api.lists).toBe(1);
  clearInterval(ticking);
  api.faults = { isSilent: true };
  api.pods.delete('a');
  await eventually(() => expect(found.engines.size).toBe(0));
  expect(found.problems).toEqual([]);
});

const forbidden = {
  ...{ code: 403, reason: 'Forbidden' },
  message: 'pods is forbidden: User "x" cannot list resource "pods" in API group ""',
};

test.each([
  ['is away', () => api.kill(), 'ECONNREFUSED', () => api.serve()],
  ['forbids it', () => void (api.faults = { refuses: forbidden }), 'pods is forbidden', undefined],
  [
    'is out of order',
    () => void (api.faults = { refuses: { code: 500, reason: 'InternalError', message: 'etcd' } }),
    '500: etcd',
    undefined,
  ],
  [
    'takes requests and is silent',
    () => void (api.faults = { hangs: true }),
    'no answer',
    undefined,
  ],
  ['cuts lists', () => void (api.faults = { cutsLists: true }), 'was cut off', undefined],
  ['answers what is no JSON', () => void (api.faults = { body: '<html>' }), 'no JSON', undefined],
  [
    'answers what is no list',
    () => void (api.faults = { body: '{"metadata":{},"items":[]}' }),
    'metadata.resourceVersion',
    undefined,
  ],
])(
  'while the API server %s engines stay, and it is said once',
  async (_what, fails, says, mends) => {
    api.pods.put(testPod('a'));
    api.pods.put(testPod('b', { podIP: '10.0.0.2' }));
    const found = discovered({ timing: { firstPauseMs: 10, maxPauseMs: 40, answerMs: 500 } });
    await found.has('a', 'b');
    await fails();
    api.cutWatches();
    await eventually(() => expect(found.state.state).toBe('away'));
    expect(found.state.problem).toContain(says);
    api.pods.delete('b');
    const before = api.requests.length;
    // Tried again and again, and said no more.
    if (mends === undefined) await eventually(() => api.requests.length > before + 3);
    expect([...found.engines.keys()]).toEqual(['a', 'b']);
    expect(found.problems).toHaveLength(1);
    api.faults = {};
    await mends?.();
    await found.has('a');
    expect(found.problems).toEqual([expect.stringContaining(says), undefined]);
  },
);

test('who may list and not watch is told so, and lists', async () => {
  api.pods.put(testPod('a'));
  api.faults = { refusesWatch: forbidden };
  const found = discovered();
  await eventually(() => expect(found.state.state).toBe('away'));
  expect([...found.engines.keys()]).toEqual(['a']);
  api.pods.delete('a');
  await eventually(() => expect(found.engines.size).toBe(0));
  expect(found.problems).toHaveLength(1);
});

test('a selector that is none is told in the words of the API server', async () => {
  const found = discovered({ selector: 'a b' });
  await eventually(() => expect(found.state.problem).toContain('400: unable to parse'));
});

test('without any access it is said where one was looked for', async () => {
  process.env['KUBECONFIG'] = '/nonexistent/kubeconfig';
  const found = discovered();
  await eventually(() => expect(found.state.problem).toContain('/nonexistent/kubeconfig'));
  delete process.env['KUBECONFIG'];
  process.env['HOME'] = '/nonexistent';
  await eventually(() => expect(found.state.problem).toContain('none of KUBECONFIG'));
});

test('a fault of whoever is told of a pod is no watch that was cut: it is said', async () => {
  const ending = new AbortController();
  onTestFinished(async () => {
    ending.abort();
    await discovery.ended();
  });
  const problems: (string | undefined)[] = [];
  const discovery = new PodDiscovery({
    ...{ selector: 'app=vllm', port: 8000, signal: ending.signal },
    onProblem: (problem) => problems.push(problem),
    onEngines: ({ found }) => {
      if (found.length > 0) throw new Error('no room for it');
    },
  });
  await eventually(() => api.watches > 0);
  api.pods.put(testPod('a'));
  await eventually(() => expect(problems).toContain('no room for it'));
});

test('it stops at once, also while nobody answers', async () => {
  api.faults = { hangs: true };
  const found = discovered();
  await eventually(() => api.requests.length > 0);
  await found.stop();
  expect(api.watches).toBe(0);
});

test('a kubeconfig that cannot be read is named without what is in it', async () => {
  const file = api.kubeconfig;
  writeFileSync(file, `users: [{name: u, user: {token: "secret-of-the-user}}]\n  bad:\n:: -`);
  const found = discovered();
  await eventually(() => expect(found.state.problem).toContain('access to the cluster: '));
  expect(JSON.stringify(found.state)).not.toContain('secret-of');
});
