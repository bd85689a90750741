import { adapterIdentity, rootKey, segmentKeys } from '@baton/kv';
import { send } from '@baton/test-kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  COMPLETION,
  completionBody,
  startTestFleet,
  type TestFleet,
} from './testing/test-fleet.ts';

const sql = { name: 'sql', revision: '/adapters/sql' };

let fleet: TestFleet;
beforeAll(async () => {
  const away = { name: 'law', revision: '/adapters/law', ready: false };
  fleet = await startTestFleet({ adapters: [away, { ...sql, ready: true }] });
});
afterAll(() => fleet.stop());

test('an adapter is a model to clients, and its paths are none of their business', async () => {
  const answer = await fetch(`${fleet.url}/v1/models`);
  const text = await answer.text();
  expect(JSON.parse(text)).toMatchObject({
    data: [
      { id: 'stand-in' },
      { id: 'law', parent: 'stand-in' },
      { id: 'sql', parent: 'stand-in' },
    ],
  });
  expect(text).not.toContain('/adapters/');
  expect((await fetch(`${fleet.url}/v1/models/sql`)).status).toBe(200);
});

test('the plan is for the model with the adapter, whose keys are its own; the answer has its name', async () => {
  const prompt = Array.from({ length: 12 }, (_, i) => i + 1);
  const answer = await send(fleet.url, COMPLETION, completionBody({ model: 'sql', prompt }));
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({ model: 'sql' });
  const asked = fleet.session.requests.at(-1);
  const keys = (adapter?: string) =>
    segmentKeys(rootKey({ tokenization: 'chars', adapter }), prompt, 4);
  expect(asked).toMatchObject({ model: 'stand-in', adapter: sql });
  expect(asked?.segmentKeys).toEqual(keys(adapterIdentity(sql)));
  expect(asked?.segmentKeys).not.toEqual(keys());
});

test('one whose engines are away is not ready, one that nobody has is not there', async () => {
  const ask = async (model: string) => {
    const answer = await send(fleet.url, COMPLETION, completionBody({ model }));
    return [answer.status, await answer.json()];
  };
  expect(await ask('law')).toMatchObject([503, { error: { code: 'no_worker' } }]);
  expect(await ask('poetry')).toMatchObject([
    404,
    { error: { code: 'model_not_found', message: expect.stringContaining('poetry') as string } },
  ]);
});
