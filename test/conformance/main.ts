import { parseArgs } from 'node:util';
import { finding, type Check, type Finding } from './check.ts';
import { cancelling } from './vllm/cancelling.ts';
import { addedTime } from './vllm/added-time.ts';
import { cachedTokens } from './vllm/cached-tokens.ts';
import { contract } from './vllm/contract.ts';
import { equality } from './vllm/equality.ts';
import { installVllm, VLLM_VERSION, type VllmInstallation } from './vllm/install.ts';
import { openLoop } from './vllm/open-loop.ts';
import { withVllmLab, type VllmLab } from './vllm/lab.ts';
import { restarts } from './vllm/restarts.ts';
import { resultTable, writeResults } from './report.ts';

const usage = `usage: npm run conformance -- vllm [--only NAME,…] [--write]

Runs Baton against real engines on this machine's CPU. Takes many minutes, and 6 GB of disk the first time.
--only   some of: %
--write  puts the result into docs/engines.md`;

const checks: readonly Check<VllmLab>[] = [
  contract,
  equality,
  cachedTokens,
  openLoop,
  addedTime,
  cancelling,
  restarts,
];

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string' },
    write: { type: 'boolean', default: false },
    venv: { type: 'string' },
    model: { type: 'string' },
  },
});
const names = checks.map(({ name }) => name);
const only = values.only?.split(',') ?? names;
const unknown = only.filter((name) => !names.includes(name));
if (positionals.join() !== 'vllm' || unknown.length > 0) {
  if (unknown.length > 0) console.error(`--only: there is no ${unknown.join(', ')}`);
  console.error(usage.replace('%', names.join(', ')));
  process.exit(2);
}

const say = (line: string): void => console.log(`  ${line}`);
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());

const installation = await installed();
const findings: Finding[] = [];
await withVllmLab(installation, say, stop.signal, async (lab) => {
  for (const check of checks.filter(({ name }) => only.includes(name))) {
    console.log(`${check.name}: ${check.describes}`);
    const found = await check
      .run(lab)
      .catch((error: unknown) => [finding(check.name, false, `failed: ${String(error)}`)]);
    for (const { what, seen, holds } of found) say(`${holds ? 'ok' : 'NOT OK'}  ${what}: ${seen}`);
    findings.push(...found);
    stop.signal.throwIfAborted();
  }
});
const isGood = findings.every(({ holds }) => holds);
console.log(resultTable(findings));
if (values.write) writeResults('vllm', VLLM_VERSION, findings);
process.exitCode = isGood ? 0 : 1;

/** As given, or from the user's cache. */
async function installed(): Promise<VllmInstallation> {
  const { venv, model } = values;
  if (venv !== undefined && model !== undefined) return { venv, model };
  return installVllm(say, stop.signal);
}
