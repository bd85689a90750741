import { expect, test } from 'vitest';
import { podEngines } from './pod-engines.ts';
import { podSchema } from './pod.ts';
import { testPod, type PodChanges } from './testing/test-pods.ts';

const judge = (changes: PodChanges, port: number | string = 8000, name = 'vllm-0') =>
  podEngines(podSchema.parse(testPod(name, changes)), undefined, port);
const engine = {
  ...{ workerId: 'vllm-0', url: 'http://10.0.0.1:8000', role: 'both' },
  ...{ pod: 'vllm-0', uid: 'uid-of-vllm-0' },
};

test('one that runs and is ready has one engine', () => {
  expect(judge({})).toEqual({ engines: [engine] });
  expect(judge({ podIP: 'fd00::7' })).toEqual({
    engines: [{ ...engine, url: 'http://[fd00::7]:8000' }],
  });
});

test.each<[PodChanges, string]>([
  [{ isTerminating: true }, 'it is being deleted'],
  [{ phase: 'Pending' }, 'its phase is Pending'],
  [{ phase: 'Succeeded' }, 'its phase is Succeeded'],
  [{ podIP: '' }, 'it has no address yet'],
  [{ labels: { 'leaderworkerset.sigs.k8s.io/worker-index': '1' } }, 'another pod leads its group'],
  [{ labels: { 'ray.io/node-type': 'worker' } }, 'another pod leads its group'],
  [{ labels: { 'llm-d.ai/role': 'encode' } }, 'its label llm-d.ai/role is encode'],
])('nothing is sent to one with %j: %s', (changes, why) => {
  expect(judge(changes)).toEqual({ why });
});

test('one that is not ready has its engines, and nothing is sent to them', () => {
  expect(judge({ isReady: false })).toEqual({ engines: [engine], unready: 'it is not ready' });
});

test('https by the name of the port, or as an annotation says', () => {
  const ports = [
    { name: 'https-api', containerPort: 8443 },
    { name: 'http', containerPort: 8000 },
  ];
  const urlOf = (changes: PodChanges, port: number | string) => {
    const verdict = judge(changes, port);
    return 'why' in verdict ? verdict.why : verdict.engines[0]?.url;
  };
  expect(urlOf({ ports }, 'https-api')).toBe('https://10.0.0.1:8443');
  expect(urlOf({ ports }, 8443)).toBe('https://10.0.0.1:8443');
  expect(urlOf({ ports }, 8000)).toBe('http://10.0.0.1:8000');
  expect(urlOf({ ports: [{ name: 'httpsx', containerPort: 8000 }] }, 8000)).toMatch(/^http:/);
  expect(urlOf({ ports, annotations: { 'baton/scheme': 'http' } }, 8443)).toMatch(/^http:/);
  expect(urlOf({ annotations: { 'baton/scheme': 'https' } }, 8000)).toBe('https://10.0.0.1:8000');
  expect(urlOf({ annotations: { 'baton/scheme': 'HTTPS' } }, 8000)).toContain('baton/scheme must');
});

test.each([
  [{ 'leaderworkerset.sigs.k8s.io/worker-index': '0' }, 'both'],
  [{ 'ray.io/node-type': 'head' }, 'both'],
  [{ 'llm-d.ai/role': 'prefill' }, 'prefill'],
  [{ 'llm-d.ai/role': 'decode' }, 'decode'],
  [{ 'llm-d.ai/role': 'prefill-decode' }, 'both'],
])('labels %j: %s', (labels, role) => {
  expect(judge({ labels })).toEqual({ engines: [{ ...engine, role }] });
});

test('the role of the selector that found it goes before its label', () => {
  const pod = podSchema.parse(testPod('vllm-0', { labels: { 'llm-d.ai/role': 'encode' } }));
  expect(podEngines(pod, 'decode', 8000)).toMatchObject({ engines: [{ role: 'decode' }] });
});

test('a port by its name, and what an annotation says instead', () => {
  const ports = [{ containerPort: 1 }, { name: 'http', containerPort: 9000 }];
  expect(judge({ ports }, 'http')).toMatchObject({ engines: [{ url: 'http://10.0.0.1:9000' }] });
  expect(judge({ ports }, 'api')).toEqual({ why: 'none of its container ports is named api' });
  const annotations = { 'baton/ports': '7000' };
  expect(judge({ annotations }, 'api')).toMatchObject({
    engines: [{ workerId: 'vllm-0', url: 'http://10.0.0.1:7000' }],
  });
});

test('several engines in one pod are told apart by their ports', () => {
  expect(judge({ annotations: { 'baton/ports': '8000, 8001' } })).toMatchObject({
    engines: [
      { workerId: 'vllm-0-8000', url: 'http://10.0.0.1:8000' },
      { workerId: 'vllm-0-8001', url: 'http://10.0.0.1:8001' },
    ],
  });
});

test.each(['', 'a', '0', '65536', '8000,', '8000,8000', '8000;8001', '-1', '1e3'])(
  'annotation %j names no ports',
  (ports) => {
    expect(judge({ annotations: { 'baton/ports': ports } })).toEqual({
      why: 'its annotation baton/ports must be ports such as 8000,8001',
    });
  },
);

test('a long name keeps its end, by which pods differ, and becomes a worker id', () => {
  const name = `${'a'.repeat(70)}.b-7d9f8c-x2x4z`;
  const [one] = (judge({}, 8000, name) as { engines: { workerId: string }[] }).engines;
  expect(one?.workerId).toMatch(/^a+-b-7d9f8c-x2x4z$/);
  expect(one?.workerId).toHaveLength(64);
  const several = judge({ annotations: { 'baton/ports': '1,2' } }, 8000, name);
  expect(several).toMatchObject({
    engines: [
      { workerId: expect.stringMatching(/^a+-b-7d9f8c-x2x4z-1$/) as string },
      { workerId: expect.stringMatching(/^.{64}$/) as string },
    ],
  });
});
