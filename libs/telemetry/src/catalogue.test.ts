import { expect, test } from 'vitest';
import {
  attributeDefinitions,
  attributes,
  requestSpanName,
  spanDefinitions,
  spans,
} from './index.ts';

test('names are unique and each attribute belongs to a span', () => {
  const names = Object.values(attributeDefinitions).map((definition) => definition.name);
  expect(new Set(names).size).toBe(names.length);
  const used = new Set<string>(Object.values(spanDefinitions).flatMap((span) => span.attributes));
  expect(Object.keys(attributeDefinitions).filter((key) => !used.has(key))).toEqual([]);
});

test('constants are the exported names', () => {
  expect(attributes.planId).toBe('baton.plan.id');
  expect(spans.kvTransfer).toBe('kv.transfer');
  expect(requestSpanName('text_completion', 'm')).toBe('text_completion m');
});
