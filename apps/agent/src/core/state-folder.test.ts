import { expect, test } from 'vitest';
import { workerStateFolder } from './state-folder.ts';

test('what outlives an agent is where the user keeps state, or where it is told', () => {
  const HOME = '/users/me';
  expect(workerStateFolder('p1', '/var/baton', { HOME })).toBe('/var/baton/p1');
  expect(workerStateFolder('p1', undefined, { HOME, XDG_STATE_HOME: '/state' })).toBe(
    '/state/baton/p1',
  );
  expect(workerStateFolder('p1', undefined, { HOME, XDG_STATE_HOME: 'state' })).toBe(
    '/users/me/.local/state/baton/p1',
  );
  expect(workerStateFolder('p1', undefined, { HOME })).toBe('/users/me/.local/state/baton/p1');
  expect(workerStateFolder('p1', undefined, {})).toBeUndefined();
});
