import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{apps,libs}/*/src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/*.long.test.ts'],
    globalSetup: 'test/kit/global-setup.ts',
    // libllama and the arena live in the process: each file gets its own.
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    teardownTimeout: 20_000,
  },
});
