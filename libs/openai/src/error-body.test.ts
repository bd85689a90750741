import { BatonError } from '@baton/kv';
import { expect, test } from 'vitest';
import { errorBody, errorStatus, fieldError, frameworkFault, readErrorBody } from './index.ts';

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
  [
    { error: { message: 'm', code: 'c', param: 'p' } },
    { message: 'm', code: 'c', status: undefined, param: 'p' },
  ],
  [
    { error: { message: 'm', code: 400 } },
    { message: 'm', code: undefined, status: 400, param: undefined },
  ],
  [{ error: 'plain' }, { message: 'plain', code: undefined, status: undefined, param: undefined }],
  [
    { object: 'error', message: 'm', type: 'BadRequest', param: null, code: 400 },
    { message: 'm', code: undefined, status: 400, param: undefined },
  ],
  [{ error: { code: 7 } }, { message: 'The engine gave no reason.' }],
  [{ detail: 'x' }, undefined],
  [null, undefined],
  ['text', undefined],
])('the error body %j of another server is read', (body, expected) => {
  expect(readErrorBody(body)).toEqual(expected && expect.objectContaining(expected));
});

test('what the framework refuses has a code of the registry, anything else has none', () => {
  const thrown = (more: object) => frameworkFault(Object.assign(new Error('why'), more))?.code;
  expect(thrown({ code: 'FST_ERR_CTP_BODY_TOO_LARGE' })).toBe('body_too_large');
  expect(thrown({ code: 'FST_ERR_CTP_INVALID_MEDIA_TYPE' })).toBe('unsupported_media_type');
  expect(thrown({ code: 'FST_ERR_CTP_EMPTY_JSON_BODY' })).toBe('invalid_request');
  expect(thrown({ statusCode: 414 })).toBe('invalid_request');
  expect(thrown({ statusCode: 500 })).toBeUndefined();
  expect(frameworkFault('why')).toBeUndefined();
  const broken = Object.assign(new SyntaxError('at 1'), { statusCode: 400 });
  expect(frameworkFault(broken)?.message).toContain('not valid JSON: at 1');
  expect(frameworkFault(new SyntaxError('of our own'))).toBeUndefined();
});
