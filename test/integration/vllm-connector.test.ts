/** The Python tests of the connector for vLLM; they need neither vLLM nor, but for copies, torch. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';

const folder = path.join(import.meta.dirname, '../../integrations/vllm');
const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' };
const python = (...args: string[]) =>
  spawnSync('python3', args, { cwd: folder, env, encoding: 'utf8' });

const lacksPytest = python('-m', 'pytest', '--version').status !== 0;
if (lacksPytest)
  console.warn('there is no pytest for python3: `pip install pytest` to run its tests');

test.skipIf(lacksPytest)('pytest integrations/vllm', () => {
  const { status, stdout, stderr } = python('-m', 'pytest', '-q', '-p', 'no:cacheprovider');
  expect(status, `${stdout}${stderr}`).toBe(0);
});
