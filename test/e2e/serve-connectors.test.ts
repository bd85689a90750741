import { startVllmFleet, type FleetOptions, type StandInFleet } from '@baton/engine-sim';
import { fittedCost } from '@baton/sim';
import { complete, eventually, freePort, post } from '@baton/test-kit';
import { afterEach, expect, test } from 'vitest';
import { startServed, type Served } from '../kit/served.ts';

/** `baton serve` in front of pairs whose connector vLLM does not tell, and of one that keeps turns. */

const MODEL = 'stand-in';
const common = { model: MODEL, speedUp: 20, blocks: 512, maxModelTokens: 4_096 };
let fleet: StandInFleet | undefined;
let served: Served | undefined;

afterEach(async () => {
  await served?.stop();
  await fleet?.stop();
  served = undefined;
  fleet = undefined;
});

const urlOf = (name: string): string =>
  fleet?.engines.find((engine) => engine.name === name)?.url ?? '';
const idOf = (name: string): string => urlOf(name).slice('http://'.length).replaceAll(/[.:]/g, '-');
const promptOf = (seed: number, tokens: number): number[] =>
  Array.from({ length: tokens }, (_, i) => (seed * 7_919 + i * 31 + 11) % 30_000);

async function serve(options: FleetOptions, connector?: string): Promise<Served> {
  fleet = await startVllmFleet(['prefill', 'decode', 'alone'], { ...common, ...options });
  const port = fleet.engines[0]?.bootstrapPort;
  const flags = [
    ...(connector === undefined ? [] : ['--connector', connector]),
    ...(port === undefined ? [] : ['--bootstrap-port', String(port)]),
  ];
  const pair = ['--prefill', urlOf('prefill'), '--decode', urlOf('decode')];
  served = await startServed(['serve', ...pair, '--kv-bytes-per-token', '1000', ...flags], {
    ...{ port: await freePort(), engines: 2 },
  });
  return served;
}

async function traceWith(server: Served, what: RegExp): Promise<void> {
  await eventually(async () => {
    const shown = await server.baton('trace', 'last');
    if (!what.test(shown)) throw new Error(shown);
  });
}

test.each(['nixl-push', 'mooncake'])('%s: a handover by the flag alone', async (connector) => {
  const options = connector === 'mooncake' ? { mooncake: {} } : { nixl: { push: true } };
  const server = await serve(options, connector);
  const body = { model: MODEL, prompt: promptOf(3, 1_000), max_tokens: 8 };
  const answer = await complete(server.url, { ...body, stream: true });
  expect(answer.text).toBe((await complete(urlOf('alone'), body)).text);
  const pair = `${idOf('prefill')} → ${idOf('decode')}`;
  await traceWith(
    server,
    new RegExp(`kv\\.handover +serve +${pair} · ${connector} · 1 000 prompt tokens`),
  );
  await eventually(() => expect(fleet?.leaks()).toEqual([]));
  expect(fleet?.violations.list).toEqual([]);
});

test('nixl in both directions: prefill reads what decode keeps of the turn before, and the trace says so', async () => {
  const cost = fittedCost({
    ...{ name: 'slow prefill', kvBytesPerToken: 1_000, chunkTokens: 2_048, firstToken: 'decode' },
    prefill: { fixedMs: 20, perTokenMs: 2, perPairMs: 0 },
    decode: { fixedMs: 1, perSequenceMs: 0, perKvTokenMs: 0 },
  });
  const server = await serve({ cost, nixl: { bidirectional: true } });
  const ask = { model: MODEL, max_tokens: 200, return_token_ids: true };
  const first = await post(server.url, '/v1/completions', { ...ask, prompt: promptOf(1, 900) });
  const said = first.body.choices?.[0]?.token_ids ?? [];
  const prompt = [...promptOf(1, 900), ...said, ...promptOf(2, 700)];
  const answer = await complete(server.url, { ...ask, prompt, stream: true });
  const alone = await complete(urlOf('alone'), { ...ask, prompt });
  expect(answer.text).toBe(alone.text);
  const turn = `${idOf('decode')} → ${idOf('prefill')} · nixl · 1 099 prompt tokens · \\d+ moved`;
  await traceWith(server, new RegExp(`kv\\.handover +serve +${turn}`));
  expect(fleet?.violations.list).toEqual([]);
});
