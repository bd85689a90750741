import { expect, test } from 'vitest';
import {
  attributeDefinitions,
  attributes,
  metricDefinitions,
  requestSpanName,
  spanDefinitions,
  spans,
} from './index.ts';

test('names are unique and each attribute belongs to a span or a metric', () => {
  const names = Object.values(attributeDefinitions).map((definition) => definition.name);
  expect(new Set(names).size).toBe(names.length);
  const owners = [...Object.values(spanDefinitions), ...Object.values(metricDefinitions)];
  const used = new Set<string>(owners.flatMap(({ attributes: own }): string[] => [...own]));
  expect(Object.keys(attributeDefinitions).filter((key) => !used.has(key))).toEqual([]);
});

test('metrics have names of their own', () => {
  const names = Object.values(metricDefinitions).map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

test('constants are the exported names', () => {
  expect(attributes.planId).toBe('baton.plan.id');
  expect(spans.kvTransfer).toBe('kv.transfer');
  expect(requestSpanName('text_completion', 'm')).toBe('text_completion m');
});
