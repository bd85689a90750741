import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{apps,libs}/*/src/**/*.long.test.ts', 'test/**/*.long.test.ts'],
    globalSetup: 'test/kit/global-setup.ts',
    pool: 'forks',
    maxWorkers: 1,
    testTimeout: 900_000,
    hookTimeout: 300_000,
  },
});
