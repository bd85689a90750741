import { startVllmFleet, type StandInFleet } from '@baton/engine-sim';
import { ApiStandIn, testPod } from '@baton/kubernetes/testing';
import {
  complete,
  eventually,
  metricsOf,
  startService,
  type ServiceProcess,
} from '@baton/test-kit';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** A gateway and a conductor, as processes, before two pods of an API server that is a stand-in; engines are, too. */

const MODEL = 'stand-in';
const AT_ONCE = 6;

let api: ApiStandIn;
let fleets: StandInFleet[] = [];
let services: ServiceProcess[] = [];
let url: string;
let adminUrl: string;

/** Pods have addresses of their own, and their engines other ports than the one that is configured. */
const put = (index: number, changes: { isTerminating?: boolean; uid?: string } = {}): void => {
  const { hostname, port } = new URL(urlOf(index));
  const annotations = { 'baton/ports': port };
  api.pods.put(testPod(`vllm-${index}`, { podIP: hostname, annotations, ...changes }));
};
const urlOf = (index: number): string => fleets[index]?.engines[0]?.url ?? '';

beforeAll(async () => {
  api = await ApiStandIn.start();
  fleets = await Promise.all(
    ['127.0.0.1', '127.0.0.2'].map((host, i) =>
      startVllmFleet([`vllm-${i}`], { model: MODEL, host, speedUp: 5, maxModelTokens: 2_048 }),
    ),
  );
  const ports = ['--grpc-port', '0', '--admin-port', '0'];
  const found = ['--nats-url', 'none', '--kubernetes-selector', 'app=vllm'];
  const conductor = await startService(
    ...(['conductor', 'conductor'] as const),
    [...ports, ...found, '--policy', 'round-robin'],
    { KUBECONFIG: api.kubeconfig },
  );
  services = [conductor];
  const address = ['--conductor', conductor.endpoints['grpc'] ?? '', '--port', '0'];
  services.push(await startService('gateway', 'gateway', address));
  url = services[1]?.endpoints['http'] ?? '';
  adminUrl = conductor.endpoints['admin'] ?? '';
});
afterAll(async () => {
  await Promise.all(services.map((service) => service.stop()));
  await Promise.all(fleets.map((fleet) => fleet.stop()));
  await api.close();
});

async function serving(): Promise<unknown[]> {
  const { engines } = (await (await fetch(`${adminUrl}/engines`)).json()) as {
    engines: { workerId: string; serves?: boolean }[];
  };
  return engines.flatMap(({ workerId, serves }) => (serves === true ? [workerId] : [])).sort();
}

/** Prompt tokens that an engine was ever given. */
async function given(index: number): Promise<number> {
  return (await metricsOf(urlOf(index))).get('prompt_tokens_total') ?? 0;
}

test('no request goes to a pod that is being deleted, what runs there goes on, and it comes back as another', async () => {
  put(0);
  put(1);
  await eventually(async () => expect(await serving()).toEqual(['vllm-0', 'vllm-1']));

  // Load that never pauses; every answer must be whole.
  const open = new Set<Promise<unknown>>();
  const workers: string[] = [];
  let ends = false;
  let seed = 0;
  const client = async (): Promise<void> => {
    while (!ends) {
      seed += 1;
      const prompt = Array.from({ length: 200 }, (_, i) => (seed * 7_919 + i * 31) % 30_000);
      const asking = complete(url, { model: MODEL, prompt, max_tokens: 20, stream: true });
      open.add(asking);
      const { completionTokens, headers } = await asking.finally(() => open.delete(asking));
      expect(completionTokens).toBe(20);
      workers.push(headers.get('x-baton-decode-worker') ?? '');
    }
  };
  await eventually(async () => {
    const models = (await (await fetch(`${url}/v1/models`)).json()) as { data: object[] };
    expect(models.data).toHaveLength(1);
  });
  const clients = Promise.all(Array.from({ length: AT_ONCE }, client));
  try {
    const answered = (count: number, workerId: string): Promise<unknown> => {
      const from = workers.length;
      const since = () => workers.slice(from).filter((id) => id === workerId).length;
      return Promise.race([clients, eventually(() => since() >= count)]);
    };
    await answered(5, 'vllm-1');

    put(1, { isTerminating: true });
    await eventually(async () => expect(await serving()).toEqual(['vllm-0']));
    // Planned before, and perhaps on their way to it.
    await Promise.allSettled([...open]);
    const before = await given(1);
    expect(before).toBeGreaterThan(0);
    const told = workers.length;
    await answered(20, 'vllm-0');
    expect(await given(1)).toBe(before);
    expect(new Set(workers.slice(told))).toEqual(new Set(['vllm-0']));

    api.pods.delete('vllm-1');
    put(1, { uid: 'of-the-next' });
    await eventually(async () => expect(await serving()).toEqual(['vllm-0', 'vllm-1']));
    await answered(5, 'vllm-1');

    // Gone while nobody could tell; the list after it does.
    await api.kill();
    api.pods.delete('vllm-1');
    api.pods.compact();
    await answered(5, 'vllm-1');
    await api.serve();
    await eventually(async () => expect(await serving()).toEqual(['vllm-0']));
    await Promise.allSettled([...open]);
    const last = await given(1);
    await answered(20, 'vllm-0');
    expect(await given(1)).toBe(last);
  } finally {
    ends = true;
    await clients;
  }
  expect(api.violations).toEqual([]);
  for (const { violations, leaks } of fleets) {
    expect(violations.list).toEqual([]);
    await eventually(() => expect(leaks()).toEqual([]));
  }
  const { kubernetes } = (await (await fetch(`${adminUrl}/engines`)).json()) as {
    kubernetes: unknown;
  };
  expect(kubernetes).toEqual({ state: 'watching', namespace: 'inference', engines: 1, unused: [] });
});
