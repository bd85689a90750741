import { BatonError } from '@baton/kv';
import { expect, test } from 'vitest';
import { loadLlama } from './native.ts';
import { checkParameterDefaults } from './parameter-structs.ts';
import { findLlamaBinaries } from './platform-binaries.ts';

const defaults = () => {
  const native = loadLlama();
  return { model: native.modelDefaults(), context: native.contextDefaults() };
};

test('the installed libllama has the layout that the bindings describe', () => {
  expect(() => checkParameterDefaults(defaults())).not.toThrow();
});

test('a drifted field of either struct is a clear error', () => {
  for (const struct of ['model', 'context'] as const) {
    const good = defaults();
    for (const field of Object.keys(good[struct])) {
      const drifted = defaults();
      drifted[struct][field] = 77;
      expect(() => checkParameterDefaults(drifted), `${struct}.${field}`).toThrow(
        new RegExp(`another release.*${field} is 77`),
      );
    }
  }
});

test('a struct that has one field more in front shifts all others and is refused', () => {
  const shifted = defaults();
  const names = Object.keys(shifted.context);
  const values = Object.values(shifted.context);
  names.forEach((name, i) => (shifted.context[name] = values[i - 1] ?? 0));
  expect(() => checkParameterDefaults(shifted)).toThrow(BatonError);
});

test('a platform without a package is named', () => {
  expect(() => findLlamaBinaries('plan9-vax')).toThrow(
    expect.objectContaining({
      code: 'native_library_missing',
      message: expect.stringContaining('plan9-vax') as string,
    }),
  );
});
