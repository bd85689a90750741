import { lookAgain, probeEngine } from '@baton/engine-clients';
import { eventually, post } from '@baton/test-kit';
import { expect, onTestFinished, test } from 'vitest';
import { startSglangFleet, type SglangFleetOptions } from './fleet.ts';
import { COMPLETIONS, MODEL } from './testing/asking.ts';
import { pair, startedSglangPair } from './testing/sglang-pair.ts';
import { tokensOf } from './testing/started-fleet.ts';

const signal = new AbortController().signal;

async function started(options: SglangFleetOptions = {}) {
  const small = { speedUp: 1_000, blocks: 256, maxModelTokens: 1_024, ranks: 2 };
  const fleet = await startSglangFleet(['whole'], { ...small, ...options });
  onTestFinished(() => fleet.stop());
  const [whole] = fleet.engines;
  if (whole === undefined) throw new Error('one engine was started');
  return { fleet, whole };
}

const ask = (url: string, prompt: number[], more: object = {}) =>
  post(url, COMPLETIONS, { model: MODEL, prompt, max_tokens: 1, ...more });

test('each rank has a cache, events and a load of its own, and is asked by number', async () => {
  const { fleet, whole } = await started();
  const probed = await probeEngine({ engineUrl: whole.url, signal });
  expect(probed).toMatchObject({
    ...{ ranks: 2, maxSequences: 128, eventsObstacle: undefined },
    metrics: { cache: { blocks: 255 }, ranks: [{ running: 0 }, { running: 0 }] },
  });
  const ports = probed.events?.map(({ eventsEndpoint }) => Number(eventsEndpoint.split(':')[2]));
  expect(ports?.[1]).toBe((ports?.[0] ?? 0) + 1);
  const prompt = tokensOf(1, 64);
  await ask(whole.url, prompt, { routed_dp_rank: 1 });
  const again = await ask(whole.url, prompt, { routed_dp_rank: 1 });
  expect(again.body.usage?.prompt_tokens_details).toEqual({ cached_tokens: 48 });
  const other = await ask(whole.url, prompt, { routed_dp_rank: 0 });
  expect(other.body.usage?.prompt_tokens_details).toBeNull();
  expect([whole.cachedBlocks(0).size, whole.cachedBlocks(1).size]).toEqual([4, 4]);
  const { metrics } = await lookAgain(probed, { engineUrl: whole.url, signal });
  expect(metrics?.ranks).toHaveLength(2);
  expect(fleet.violations.list).toEqual([]);
  await eventually(() => expect(fleet.leaks()).toEqual([]));
});

test('one that does not heed the number is found out, and so is each side of pairs that does', async () => {
  const { whole } = await started({ heedsRank: false, ranks: 3 });
  expect(await probeEngine({ engineUrl: whole.url, signal })).toMatchObject({
    ...{ ranks: 1, maxSequences: 384, events: undefined },
    metrics: { cache: { blocks: 765 } },
  });
  const { fleet, p, d } = await startedSglangPair({ ranks: 2 });
  for (const { url } of [p, d]) {
    expect(await probeEngine({ engineUrl: url, signal })).toMatchObject({ ranks: 2 });
  }
  expect(fleet.violations.list).toEqual([]);
  await eventually(() => expect(fleet.leaks()).toEqual([]));
});

test('a number that no rank has ends the server', async () => {
  const { fleet, whole } = await started();
  expect((await ask(whole.url, [1, 2], { routed_dp_rank: 2 })).status).toBe(503);
  expect(fleet.violations.kinds).toEqual(['no_such_rank']);
  expect((await ask(whole.url, [1, 2])).status).toBe(503);
});

test('a pair meets where decode looks for the rank that computes', async () => {
  const { fleet, p, d, whole } = await startedSglangPair({ ranks: 2 });
  const prompt = tokensOf(3, 100);
  const body = { model: MODEL, prompt, max_tokens: 8 };
  const alone = await post(whole.url, COMPLETIONS, body);
  const legs = { ...body, bootstrap_room: 4, routed_dp_rank: 1, disagg_prefill_dp_rank: 1 };
  const [prefilled, decoded] = await pair({ p, d }, legs);
  expect([prefilled.status, decoded.status]).toEqual([200, 200]);
  expect(decoded.body.choices?.[0]?.text).toBe(alone.body.choices?.[0]?.text);
  expect([p.cachedBlocks(0).size, p.cachedBlocks(1).size]).toEqual([0, 6]);
  // Without a number both go by that of the room.
  const [dealt] = await pair({ p, d }, { ...body, bootstrap_room: 6 });
  expect(dealt.status).toBe(200);
  expect(p.cachedBlocks(0).size).toBe(6);
  expect(fleet.violations.list).toEqual([]);
  const wrong = await pair({ p, d }, { ...legs, bootstrap_room: 8, disagg_prefill_dp_rank: 0 });
  expect(wrong.map(({ status }) => status)).toEqual([500, 500]);
  expect(fleet.violations.kinds).toEqual(['other_rank']);
  await eventually(() => expect(fleet.leaks()).toEqual([]));
});

test('its ranks are in its page of metrics, too', async () => {
  const { whole } = await started();
  const page = await (await fetch(`${whole.url}/metrics`)).text();
  expect(page).toContain(
    `sglang:num_running_reqs{dp_rank="1",model_name="${MODEL}",tp_rank="0"} 0`,
  );
  expect(await (await fetch(`${whole.url}/v1/loads`)).json()).toMatchObject({
    loads: [{ dp_rank: 0 }, { dp_rank: 1 }],
  });
});
