import { BatonError } from '@baton/kv';
import { expect, test } from 'vitest';
import { errorBody, errorStatus, fieldError, readErrorBody } from './index.ts';

test('code, type and status come from the registry, param from the field at fault', () => {
  const error = fieldError('context_length_exceeded', 'max_tokens', 'Too much.');
  expect(errorStatus(error)).toBe(400);
  expect(errorBody(error)).toEqual({
    error: {
      message: 'Too much.',
      type: 'invalid_request_error',
      param: 'max_tokens',
      code: 'context_length_exceeded',
    },
  });
  expect(errorBody(new BatonError('no_worker')).error.param).toBeNull();
});

test.each([
  [{ error: { message: 'm', code: 'c', param: 'p' } }, { message: 'm', code: 'c', param: 'p' }],
  [{ error: { message: 'm', code: 400 } }, { message: 'm', code: undefined, param: undefined }],
  [{ error: 'plain' }, { message: 'plain', code: undefined, param: undefined }],
  [{ detail: 'x' }, undefined],
  [null, undefined],
  ['text', undefined],
])('the error body %j of another server is read', (body, expected) => {
  expect(readErrorBody(body)).toEqual(expected);
});
