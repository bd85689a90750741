import { keyCount, keyHex, unpackKeys } from '@baton/kv';
import { eventually } from '@baton/test-kit';
import { expect, test } from 'vitest';
import { openTcpEngine, parseAddress } from '../index.ts';
import { openFaultProxy, ScriptedSource, testKey, testKeys } from '../testing/index.ts';
import type { TcpLimits } from './limits.ts';

const PAGE_BYTES = 32 * 1024;
const PAGES = 32;

async function openSide(source: ScriptedSource, limits: Partial<TcpLimits>) {
  const memory = { bytes: new Uint8Array(PAGES * PAGE_BYTES), pageBytes: PAGE_BYTES };
  const options = { memory, source, layout: 'l', host: '127.0.0.1', port: 0, limits };
  source.memory = memory;
  return openTcpEngine(options);
}

test.each([
  { segments: 24, pagesPerStream: 1, maxStreams: 4, connections: 4 },
  { segments: 24, pagesPerStream: 8, maxStreams: 4, connections: 3 },
  { segments: 24, pagesPerStream: 1, maxStreams: 1, connections: 1 },
  { segments: 3, pagesPerStream: 1, maxStreams: 8, connections: 3 },
  { segments: 0, pagesPerStream: 1, maxStreams: 4, connections: 1 },
])(
  'one pull of $segments segments and a tail, $pagesPerStream pages a stream, at most $maxStreams: $connections at once',
  async ({ segments, pagesPerStream, maxStreams, connections }) => {
    const source = new ScriptedSource();
    const from = await openSide(source, {});
    const proxy = await openFaultProxy(parseAddress(from.address)!);
    const bytesPerStream = pagesPerStream * PAGE_BYTES;
    const to = await openSide(new ScriptedSource(), { maxStreams, bytesPerStream });
    const order = {
      transferId: 't',
      planId: 'p',
      address: proxy.address,
      keys: testKeys(0, segments),
      pages: Array.from({ length: segments }, (_, i) => i),
      tailPage: PAGES - 1,
      wait: true,
      timeoutMs: 20_000,
    };
    const pull = to.pull(order, { segment: () => undefined, tail: () => undefined });

    // Nothing is there to be sent: every stream that is opened is opened now, beside the others.
    await eventually(() => source.openStreams === connections);
    expect(proxy.connections).toBe(connections);
    const asked = source.queries.flatMap(({ keys }) => unpackKeys(keys).map(keyHex));
    const all = Array.from({ length: segments }, (_, i) => keyHex(testKey(i)));
    expect(asked.sort()).toEqual(all.sort());
    const shares = source.queries.map(({ keys }) => keyCount(keys));
    expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1);
    expect(source.queries.filter(({ withTail }) => withTail)).toHaveLength(1);

    for (let n = 0; n < segments; n += 1) source.put(testKey(n), n, PAGE_BYTES, n);
    source.putTail(PAGES - 1, 10, 1, Uint8Array.of(1));
    expect(await pull.done).toMatchObject({ status: 'done', segments, hasTail: true });
    expect(proxy.connections).toBe(connections);
    await Promise.all([to.close(), from.close(), proxy.close()]);
  },
);
