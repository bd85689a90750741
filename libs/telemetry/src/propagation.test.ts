import { expect, test } from 'vitest';
import { contextFrom, extractHeaders, injectHeaders, traceparentOf } from './index.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const VALID = `00-${TRACE}-${SPAN}-01`;

test.each([
  [VALID, VALID],
  [`00-${TRACE}-${SPAN}-00`, `00-${TRACE}-${SPAN}-00`],
  // A later version may append fields and set more flags; the sampled bit is what is kept.
  [`cc-${TRACE}-${SPAN}-03-later`, VALID],
])('%s is understood', (given, expected) => {
  expect(traceparentOf(contextFrom(given))).toBe(expected);
});

test.each([
  undefined,
  '',
  'garbage',
  `ff-${TRACE}-${SPAN}-01`,
  `00-${TRACE}-${SPAN}-01-more`,
  `00-${'0'.repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  `00-${TRACE.slice(1)}-${SPAN}-01`,
  `cc-${TRACE}-${SPAN}-01-${'x'.repeat(1_000)}`,
])('%s starts a new trace', (given) => {
  expect(traceparentOf(contextFrom(given))).toBe('');
});

test('headers carry both fields through', () => {
  const incoming = extractHeaders({ traceparent: VALID, tracestate: ['vendor=1', 'other=2'] });
  expect(injectHeaders({ accept: '*/*' }, incoming)).toEqual({
    accept: '*/*',
    traceparent: VALID,
    tracestate: 'vendor=1',
  });
  expect(injectHeaders({}, extractHeaders({}))).toEqual({});
});
