import { EngineAccess } from '@baton/engine-clients';
import { ApiStandIn, testPod } from '@baton/kubernetes/testing';
import { createLogger } from '@baton/service';
import { eventually } from '@baton/test-kit';
import { expect, onTestFinished, test } from 'vitest';
import { conductorConfigSchema } from '../config.ts';
import { VllmFront } from '../testing/vllm-front.ts';
import { PodEngines } from './pod-engines.ts';
import { WatchedEngines } from './watched-engines.ts';

test('pods are watched beside engines that are listed, none of them twice', async () => {
  const api = await ApiStandIn.start();
  process.env['KUBECONFIG'] = api.kubeconfig;
  const [listed, inPod] = await Promise.all([VllmFront.start(), VllmFront.start()]);
  const lines: Record<string, unknown>[] = [];
  const write = (line: string): void =>
    void lines.push(JSON.parse(line) as Record<string, unknown>);
  const log = createLogger({ name: 'test', level: 'info', destination: { write } });
  const ending = new AbortController();
  const engines = new WatchedEngines({
    settings: [
      { url: listed.url, role: 'both' },
      { url: 'http://127.0.0.1:9', role: 'both', workerId: 'taken' },
    ],
    access: new EngineAccess(),
    ...{ intervalMs: 20, hear: () => undefined, misfit: () => undefined, using: () => 0, log },
    signal: ending.signal,
  });
  const settings = { selector: 'app=vllm', port: 8000, kvBytesPerToken: 5 };
  const pods = new PodEngines({ settings, engines, log, signal: ending.signal });
  onTestFinished(async () => {
    ending.abort();
    await Promise.all([pods.ended(), engines.ended(), api.close()]);
  });
  const put = (name: string, front: VllmFront, isTerminating = false): void => {
    const annotations = { 'baton/ports': new URL(front.url).port };
    api.pods.put(testPod(name, { podIP: '127.0.0.1', annotations, isTerminating }));
  };
  const ids = (): string[] => engines.list().map(({ workerId }) => workerId);
  const said = (event: string): unknown[] =>
    lines.filter((line) => line['event'] === event).map(({ msg }) => msg);

  put('vllm-0', inPod);
  put('again', listed);
  put('taken', inPod);
  const before = ids();
  await eventually(() => expect(pods.state.state).toBe('watching'));
  await eventually(() => expect(ids()).toEqual([...before, 'vllm-0']));
  expect(engines.list().at(-1)).toMatchObject({ url: inPod.url, role: 'both' });
  const why = { again: `${listed.url} is served as ${before[0]}`, taken: 'would both be called' };
  expect(pods.state).toMatchObject({
    ...{ engines: 1, namespace: 'inference' },
    unused: [
      { pod: 'again', why: why.again },
      { pod: 'taken', why: expect.stringContaining(why.taken) as string },
    ],
  });
  expect(said('pod_found')).toEqual([`vllm-0 runs at ${inPod.url}`]);
  expect(said('pod_refused')).toHaveLength(2);

  // Not ready for a moment: nothing new, and what is known stays.
  const put0 = (isReady: boolean): void => {
    const annotations = { 'baton/ports': new URL(inPod.url).port };
    api.pods.put(testPod('vllm-0', { podIP: '127.0.0.1', annotations, isReady }));
  };
  await eventually(() => engines.list().at(-1)?.serves === true);
  put0(false);
  await eventually(() => engines.list().at(-1)?.serves === false);
  expect(engines.list().at(-1)?.problem).toBe('of its pod: it is not ready');
  expect(pods.state.unused.map(({ pod }) => pod).sort()).toEqual(['again', 'taken', 'vllm-0']);
  put0(true);
  await eventually(() => engines.list().at(-1)?.serves === true);
  expect(said('pod_paused')).toEqual(['vllm-0 gets nothing new: it is not ready']);
  expect(said('pod_resumed')).toEqual(['vllm-0 is ready again']);
  expect(said('pod_gone')).toEqual([]);

  // What was never watched is not taken away from those that are.
  put('again', listed, true);
  put('taken', inPod, true);
  put('vllm-0', inPod, true);
  await eventually(() => expect(ids()).toEqual(before));
  expect(said('pod_gone')).toEqual(['vllm-0 gets nothing new: it is being deleted']);
  expect(pods.state).toMatchObject({ engines: 0 });

  // What stood in the way is removed: the pod is looked at again.
  put('late', listed);
  await eventually(() => expect(pods.state.unused.map(({ pod }) => pod)).toContain('late'));
  await engines.remove(before[0] ?? '');
  await eventually(() => expect(ids()).toEqual(['taken', 'late']));
  expect(pods.state.unused.map(({ pod }) => pod)).not.toContain('late');
});

test.each([
  [{ selector: 'app=vllm' }, undefined],
  [{ decodeSelector: 'a', port: 'http' }, undefined],
  [{}, 'needs selector, prefillSelector or decodeSelector'],
  [{ namespace: 'a' }, 'needs selector, prefillSelector or decodeSelector'],
  [{ selector: 'a', port: 0 }, 'must be a port, or the name of a container port'],
  [{ selector: 'a', port: 'Http' }, 'must be a port, or the name of a container port'],
  [{ selector: 'a', port: '8000' }, 'must be a port, or the name of a container port'],
  [{ selector: '' }, 'Too small'],
  [{ selector: 'a', labels: 'b' }, 'Unrecognized key'],
])('kubernetes: %j', (kubernetes, message) => {
  const { error } = conductorConfigSchema.safeParse({ kubernetes });
  if (message === undefined) expect(error).toBeUndefined();
  else expect(error?.issues[0]?.message).toContain(message);
});
