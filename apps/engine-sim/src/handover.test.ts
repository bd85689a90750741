import { post } from '@baton/test-kit';
import { expect, test } from 'vitest';
import { startedFleet, tokensOf } from './testing/started-fleet.ts';

test('x', async () => {
  const fleet = await startedFleet(['p', 'd']);
  const [p, d] = fleet.engines;
  const prompt = tokensOf(1, 100);
  const body = { model: 'stand-in', prompt, return_token_ids: true };
  const alone = await post(p!.url, '/v1/completions', { ...body, max_tokens: 20 });
  console.log(JSON.stringify(alone.body));
  const pre = await post(p!.url, '/v1/completions', { ...body, max_tokens: 1, kv_transfer_params: { do_remote_decode: true, do_remote_prefill: false } }, {headers: {'x-request-id': 'r1'}});
  console.log(JSON.stringify(pre.body));
  const dec = await post(d!.url, '/v1/completions', { ...body, max_tokens: 20, kv_transfer_params: pre.body.kv_transfer_params }, {headers: {'x-request-id': 'r1'}});
  console.log(JSON.stringify(dec.body));
  expect(dec.body.choices[0]?.token_ids).toEqual(alone.body.choices[0]?.token_ids);
  console.log(fleet.violations.list, fleet.leaks());
});
