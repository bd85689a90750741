import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { defineConfig } from 'vitest/config';

/** Libraries without I/O or state of their own, by their tags: what a test leaves behind changes no other one's result. */
const pure = globSync('libs/*/package.json', { cwd: import.meta.dirname })
  .filter((file) => /"layer:(domain|contract)"/.test(readFileSync(file, 'utf8')))
  .map((file) => `${path.dirname(file)}/src/**/*.test.ts`);
const exclude = ['**/node_modules/**', '**/*.long.test.ts'];

export default defineConfig({
  test: {
    globalSetup: 'test/kit/global-setup.ts',
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    teardownTimeout: 20_000,
    projects: [
      // Most files, each with little to do: starting a process for each would take longer than the tests.
      { extends: true, test: { name: 'pure', include: pure, exclude, isolate: false } },
      // libllama and the arena live in the process: each file gets its own.
      {
        extends: true,
        test: {
          name: 'whole',
          include: ['{apps,libs}/*/src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [...exclude, ...pure],
        },
      },
    ],
  },
});
