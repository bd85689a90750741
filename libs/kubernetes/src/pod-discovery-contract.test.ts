import { eventually } from '@baton/test-kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ApiStandIn } from './testing/api-stand-in.ts';
import { Discovered } from './testing/discovered.ts';
import { RealApi } from './testing/real-api.ts';
import { testPod, type PodChanges } from './testing/test-pods.ts';

interface PodsApi {
  namespace: string;
  put(name: string, changes?: PodChanges): Promise<void>;
  terminate(name: string): Promise<void>;
  delete(name: string): Promise<void>;
  close(): Promise<void>;
}

/** A kubeconfig of somebody who may make namespaces and pods. */
const realKubeconfig = process.env['KUBERNETES_TEST_KUBECONFIG'];

async function startStandIn(): Promise<PodsApi> {
  const api = await ApiStandIn.start();
  process.env['KUBECONFIG'] = api.kubeconfig;
  let incarnations = 0;
  const uids = new Map<string, string>();
  const last = new Map<string, PodChanges>();
  const put = (name: string, changes: PodChanges = {}): Promise<void> => {
    const uid = uids.get(name) ?? `uid-${(incarnations += 1)}`;
    uids.set(name, uid);
    last.set(name, changes);
    return Promise.resolve(api.pods.put(testPod(name, { ...changes, uid })));
  };
  return {
    namespace: 'inference',
    put,
    terminate: (name) => put(name, { ...last.get(name), isTerminating: true }),
    delete: (name) => {
      uids.delete(name);
      return Promise.resolve(api.pods.delete(name));
    },
    close: async () => {
      await api.close();
      expect(api.violations).toEqual([]);
    },
  };
}

async function startReal(): Promise<PodsApi> {
  process.env['KUBECONFIG'] = realKubeconfig;
  const api = new RealApi();
  await api.start();
  return api;
}

describe.each([
  { name: 'the stand-in', start: startStandIn, isThere: true },
  {
    name: 'the real API server that KUBERNETES_TEST_KUBECONFIG names (skipped where it is not set)',
    start: startReal,
    isThere: realKubeconfig !== undefined,
  },
])('$name', ({ start, isThere }) => {
  describe.runIf(isThere)('with pods', () => {
    let api: PodsApi;
    beforeAll(async () => {
      api = await start();
    });
    afterAll(() => api.close());

    test('pods that match are engines while they can be sent to', async () => {
      await api.put('a');
      await api.put('other', { labels: { app: 'web' } });
      const found = new Discovered({ namespace: api.namespace });
      expect(found.state).toMatchObject({ state: 'starting', engines: 0 });
      await found.has('a');
      expect(found.engines.get('a')).toBe('both http://10.0.0.1:8000');
      expect(found.state).toEqual({
        ...{ state: 'watching', problem: undefined, namespace: api.namespace },
        ...{ engines: 1, unused: [] },
      });

      await api.put('b', { phase: 'Pending', podIP: '', isReady: false });
      await eventually(() => {
        expect(found.state.unused).toEqual([{ pod: 'b', why: 'its phase is Pending' }]);
      });
      await api.put('b', { podIP: '10.0.0.2' });
      await found.has('a', 'b');
      await api.put('b', { podIP: '10.0.0.2', isReady: false });
      await found.has('a');
      await api.put('b', { podIP: '10.0.0.2' });
      await found.has('a', 'b');
      await api.terminate('b');
      await found.has('a');
      await api.delete('b');
      await eventually(() => expect(found.state.unused).toEqual([]));
      // Its labels match no more.
      await api.put('a', { labels: { app: 'retired' } });
      await found.has();
      expect(found.log).toEqual([
        ...['+ a', '+ b', '! b: it is not ready', '* b', '- b: it is being deleted'],
        '- a: it is gone, or its labels match no more',
      ]);
      expect(found.problems).toEqual([]);
    });

    test('a pod with another address, and another pod of the same name, are other engines', async () => {
      await api.put('c', { podIP: '10.0.0.3' });
      const found = new Discovered({ namespace: api.namespace });
      await found.has('c');
      await api.put('c', { podIP: '10.0.0.9' });
      await eventually(() => expect(found.engines.get('c')).toBe('both http://10.0.0.9:8000'));
      await api.delete('c');
      await api.put('c', { podIP: '10.0.0.9' });
      await eventually(() => expect(found.log).toHaveLength(5));
      await api.put('c', { podIP: '10.0.0.9', annotations: { note: 'x' } });
      await found.has('c');
      expect(found.log).toEqual([
        ...['+ c', '- c: its address, port or role is another', '+ c'],
        ...['- c: it is being deleted', '+ c'],
      ]);
    });

    test('a selector that is none is told in the words of the API server', async () => {
      const found = new Discovered({ namespace: api.namespace, selector: 'a b' });
      await eventually(() => {
        expect(found.state.problem).toContain('400: unable to parse requirement: found');
      });
    });
  });
});
