/**
 * Baton's connector in two real vLLM servers on a CPU, with agents and `baton serve`. Minutes long.
 *
 * `node test/conformance/vllm-connector/main.ts --venv FOLDER --model FOLDER [--logs FOLDER]`
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { checks } from './checks.ts';
import { Fleet } from './fleet.ts';

const { values } = parseArgs({
  options: { venv: { type: 'string' }, model: { type: 'string' }, logs: { type: 'string' } },
});
const { venv, model, logs = mkdtempSync(path.join(tmpdir(), 'vllm-connector-logs-')) } = values;
if (venv === undefined || model === undefined) {
  console.error('usage: --venv FOLDER of a Python environment with vLLM, --model FOLDER');
  process.exit(2);
}
console.error(`logs are in ${logs}`);
const say = (line: string): void => console.error(line);
const fleet = await Fleet.start({ venv, model, logFolder: logs, say });
try {
  for (const { name, run } of checks) {
    const startedMs = performance.now();
    let result: string;
    try {
      result = `ok      ${name}: ${await run(fleet)}`;
    } catch (error) {
      process.exitCode = 1;
      result = `FAILED  ${name}: ${error instanceof Error ? error.message : String(error)}`;
    }
    console.log(`${result} (${((performance.now() - startedMs) / 1_000).toFixed(1)} s)`);
  }
} finally {
  await fleet.stop();
}
