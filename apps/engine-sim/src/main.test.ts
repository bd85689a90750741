import { post, startService } from '@baton/test-kit';
import { expect, onTestFinished, test } from 'vitest';
import { engineSimConfigSchema } from './config.ts';

test('the process: as many engines as it was told, at ports that were told', async () => {
  const service = await startService('engine-sim', 'sim', ['--engines', '3', '--speed-up', '100']);
  onTestFinished(() => service.stop());
  const urls = [1, 2, 3].map((i) => service.endpoints[`vllm-${i}`] ?? '');
  for (const url of urls) {
    const answer = await post(url, '/v1/completions', {
      model: 'stand-in',
      prompt: 'Hi',
      max_tokens: 4,
    });
    expect(answer.body.usage?.completion_tokens).toBe(4);
  }
  await service.stop();
  expect(service.exitCode()).toBe(0);
});

test('names and numbers are checked', () => {
  expect(engineSimConfigSchema.safeParse({}).success).toBe(true);
  expect(engineSimConfigSchema.safeParse({ name: 'a b' }).success).toBe(false);
  expect(engineSimConfigSchema.safeParse({ speedUp: 0 }).success).toBe(false);
});
