import { eventually, metricsOf } from '@baton/test-kit';
import { expect, test } from 'vitest';
import { ask, prefill, tokensIn } from './testing/asking.ts';
import { startedFleet, tokensOf } from './testing/started-fleet.ts';

const ENGINES = 100;

test('a hundred in one process: each hands over to another, and at the end nothing is left', async () => {
  const names = Array.from({ length: ENGINES }, (_, i) => `vllm-${i}`);
  const fleet = await startedFleet(names);
  const { engines } = fleet;
  expect(new Set(engines.map(({ url }) => url)).size).toBe(ENGINES);
  expect(new Set(engines.map(({ eventsEndpoint }) => eventsEndpoint)).size).toBe(ENGINES);
  const decoded = await Promise.all(
    engines.map(async (engine, i) => {
      const body = { prompt: tokensOf(i % 10, 200), max_tokens: 8 };
      const kv_transfer_params = await prefill(engine, body, `r${i}`);
      const other = engines[(i + 1) % ENGINES] ?? engine;
      return tokensIn(await ask(other, { ...body, kv_transfer_params }, `r${i}`));
    }),
  );
  // Ten prompts, ten answers, whoever gave them.
  expect(new Set(decoded.map(String)).size).toBe(10);
  expect(decoded.map(String)).toEqual(decoded.map((_, i) => String(decoded[i % 10])));
  expect(fleet.violations.list).toEqual([]);
  await eventually(() => expect(fleet.leaks()).toEqual([]));
  const [first] = engines;
  const metrics = await metricsOf(first?.url ?? '');
  expect(metrics.get('request_success_total{finished_reason="length"}')).toBe(2);
});
