import type { WorkerBeat } from '@baton/cluster';
import { EngineAccess } from '@baton/engine-clients';
import { SglangFront } from '@baton/engine-clients/testing';
import { createLogger } from '@baton/service';
import { eventually } from '@baton/test-kit';
import { expect, onTestFinished, test } from 'vitest';
import type { EngineSetting } from '../config.ts';
import { EngineWatch } from './engine-watch.ts';

/** Looks at a server until the test ends. */
async function watched(changes: object, setting: Partial<EngineSetting> = {}) {
  const front = await SglangFront.start();
  Object.assign(front.info, changes);
  onTestFinished(() => front.close());
  const stopping = new AbortController();
  const beats: WorkerBeat[] = [];
  const lines: Record<string, unknown>[] = [];
  const write = (line: string): void =>
    void lines.push(JSON.parse(line) as Record<string, unknown>);
  const watch = new EngineWatch({
    setting: { role: 'both', url: front.url, ...setting },
    access: new EngineAccess({}),
    intervalMs: 20,
    hear: (input) => void (input.type === 'beat' && beats.push(input.beat)),
    misfit: () => undefined,
    using: () => 0,
    log: createLogger({ name: 'test', level: 'info', destination: { write } }),
    signal: stopping.signal,
  });
  const running = watch.run();
  onTestFinished(async () => {
    stopping.abort();
    await running;
  });
  await watch.looked();
  return { front, watch, beats, lines };
}

test('one side of pairs is that side, whatever it was given as, and says where it can be met', async () => {
  const { watch, beats } = await watched({ disaggregation_mode: 'prefill', page_size: 32 });
  expect(beats[0]).toMatchObject({
    loads: [{ rank: 0, runningSequences: 2, waitingSequences: 1, kvUsedBlocks: 32 }],
    worker: {
      ...{ engine: 'sglang', role: 'prefill', pairOnly: true, kvCapacityBlocks: 128 },
      meetingPoint: { host: '127.0.0.1', port: 8_998 },
      layout: { blockTokens: 32, connector: 'sglang-mooncake', connectorVersion: '0.5.16' },
    },
  });
  expect(watch.findings).toMatchObject({ role: 'prefill', pairOnly: true, serves: true });
});

test('one that does whole requests is no side of pairs, and that is said', async () => {
  const { beats, lines } = await watched({}, { role: 'decode' });
  expect(beats[0]?.worker).toMatchObject({ role: 'decode', pairOnly: false });
  const said = lines.find(({ event }) => event === 'engine_alone');
  expect(said?.['msg']).toContain('start it with --disaggregation-mode decode');
});

test('one side given as the other is not served, and a sentence says what would be right', async () => {
  const { watch, beats } = await watched({ disaggregation_mode: 'prefill' }, { role: 'decode' });
  expect(beats).toEqual([]);
  expect(watch.findings).toMatchObject({
    serves: false,
    problem: expect.stringContaining('give it as --prefill, not as --decode') as string,
  });
});

test('one that was away may be another one: what it holds begins anew', async () => {
  const { front, watch, beats } = await watched({});
  const first = beats[0]?.epoch;
  front.info['version'] = '0.5.17';
  front.statuses.set('/v1/loads?include=core', 503);
  await eventually(() => watch.findings.serves === false);
  front.statuses.clear();
  await eventually(() => watch.findings.version === '0.5.17');
  expect(beats.at(-1)?.epoch).not.toEqual(first);
  expect(beats.at(-1)?.counters).toEqual({});
});
