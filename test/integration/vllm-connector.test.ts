/** The Python tests of the connector for vLLM; they need neither vLLM nor, but for copies, torch. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { cacheFolder } from '@baton/provision';
import { expect, test } from 'vitest';

const folder = path.join(import.meta.dirname, '../../integrations/vllm');
const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' };
const run = (python: string, ...args: string[]) =>
  spawnSync(python, ['-m', 'pytest', ...args], { cwd: folder, env, encoding: 'utf8' });

/** Where scripts/prepare-optional.ts puts it, or the system's. */
const pythons = [path.join(cacheFolder(), 'pytest', 'bin', 'python'), 'python3'];
const python = pythons.find((one) => run(one, '--version').status === 0);
const isRequired = process.env['REQUIRE_OPTIONAL_PARTS'] === '1';
if (python === undefined) console.warn('there is no pytest: `pip install pytest` to run its tests');

test.skipIf(python === undefined && !isRequired)('pytest integrations/vllm', () => {
  const { status, stdout, stderr } = run(python ?? 'python3', '-q', '-p', 'no:cacheprovider');
  expect(status, `${stdout}${stderr}`).toBe(0);
});
