import { Command } from 'commander';
import { BatonError } from '@baton/kv';
import { policyNames } from '@baton/scheduling';
import { DEFAULT_NAME } from './commands/policy-command.ts';
import { ofConductor, ofRun, type ConductorFlags, type RunFlags } from './commands/run-flags.ts';
import { addDemo } from './demo/demo-program.ts';
import { addIndex } from './index/index-program.ts';
import { paintFor } from './render/terminal-text.ts';
import { oneOf } from './replay/replay-flags.ts';
import { queueNames } from './replay/replay-plan.ts';
import { addPrompts } from './prompts/prompts-program.ts';
import { addServe } from './serve/serve-program.ts';
import { standInKinds, type StandInKind } from './serve/serve-options.ts';
import { addCostModel } from './replay/cost-model-program.ts';
import { addReplay } from './replay/replay-program.ts';
import { maxPort } from './up/ports.ts';
import { addWorker } from './worker/worker-program.ts';
import { addAdapter } from './adapter/adapter-program.ts';
import { byteSize, listenHost, maxWorkersPerRole, wholeNumber } from './up/up-options.ts';

const defaultReadyTimeoutSec = 120;

const policyName = oneOf('--policy', policyNames);
const legPolicy = (flag: string) => oneOf(flag, [...policyNames, DEFAULT_NAME]);
const queueName = oneOf('--queue', queueNames);
const port = wholeNumber('--port', 1, maxPort);
const columns = process.stdout.isTTY ? process.stdout.columns : undefined;
const paint = paintFor(process.stdout.isTTY, process.env);
const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** Nobody reads any more. */
let onOutputGone = (): void => process.exit(1);
process.stdout.on('error', () => onOutputGone());
/** What listens to its output itself ends what it started before it ends. */
const stopsByItself = (): void => undefined;

const program = new Command('baton')
  .description('KV-cache-centric conductor for disaggregated LLM serving')
  .showHelpAfterError('(--help shows what there is)');

program
  .command('up')
  .description('bring up everything on this machine ("npm start" does this) and stop it on Ctrl-C')
  .option(
    '--model <file|tiny>',
    'GGUF file of a Llama, Qwen or SmolLM chat model, or the generated test model',
  )
  .option(
    '--engine <name>',
    'llama (default), or vllm-sim, sglang-sim: stand-ins of vLLM or SGLang without a model',
    oneOf('--engine', ['llama', ...standInKinds]),
  )
  .option('--prefill <n>', 'prefill workers', wholeNumber('--prefill', 1, maxWorkersPerRole), 2)
  .option('--decode <n>', 'decode workers', wholeNumber('--decode', 1, maxWorkersPerRole), 2)
  .option('--port <port>', 'port of the OpenAI API (default: 8080 or the next free one)', port)
  .option('--host <host>', 'address of the OpenAI API', listenHost('--host'), '127.0.0.1')
  .option(
    '--admin-port <port>',
    "port of the conductor's admin API, on loopback (default: a free one)",
    wholeNumber('--admin-port', 1, maxPort),
  )
  .option('--policy <name>', `how workers are chosen: ${policyNames.join(', ')}`, policyName)
  .option('--queue <order>', `who is next: ${queueNames.join(', ')}`, queueName)
  .option('--record <file>', 'record times, lengths and block hashes of requests in a new file')
  .option('--reproducible', 'the same text whatever else runs or moved; slower', false)
  .option('--dram <size>', 'DRAM arena of each worker, e.g. 256MiB', byteSize('--dram'))
  .option('--nats-server <path>', 'nats-server to use (default: found or fetched)')
  .option(
    '--ready-timeout <seconds>',
    'give up when not ready by then',
    wholeNumber('--ready-timeout', 1, 3600),
    defaultReadyTimeoutSec,
  )
  .option('--verbose', 'print every line of every process', false)
  .action(async ({ engine, ...flags }: UpFlags) => {
    const kind = standInKinds.find((name) => name === engine);
    if (kind !== undefined) return standIns(kind, flags);
    const { realSurroundings, up } = await import('./up/up.ts');
    const { dram, readyTimeout, model, port: givenPort, adminPort, natsServer, ...rest } = flags;
    const { policy, queue, record, ...others } = rest;
    const chosen = { policy, queue, record };
    const given = { model, port: givenPort, adminPort, natsServer, dramBytes: dram, ...chosen };
    const options = { ...others, ...given };
    onOutputGone = stopsByItself;
    process.exitCode = await up(
      { ...options, readyTimeoutMs: readyTimeout * 1000 },
      realSurroundings(),
    );
  });

addServe(program, () => (onOutputGone = stopsByItself));

program
  .command('agent')
  .description('stand beside one engine: hold and move its KV; --help shows its flags')
  .allowUnknownOption()
  .allowExcessArguments()
  .helpOption(false)
  .action(async () => {
    // Its flags are those of its configuration.
    process.argv.splice(2, 1);
    await import('@baton/agent/main');
  });

/** Stand-ins have no model, no arena and no bus. */
async function standIns(kind: StandInKind, flags: Omit<UpFlags, 'engine'>): Promise<void> {
  const { serveStandIns } = await import('./serve/stand-ins.ts');
  onOutputGone = stopsByItself;
  const { model, dram, natsServer, record, reproducible } = flags;
  const given = {
    ...{ '--model': model, '--dram': dram, '--nats-server': natsServer, '--record': record },
    '--reproducible': reproducible ? true : undefined,
  };
  const unused = Object.entries(given).flatMap(([flag, value]) =>
    value === undefined ? [] : flag,
  );
  const { port: givenPort, adminPort, policy, queue, ...others } = flags;
  const options = { ...others, kind, port: givenPort, adminPort, policy, queue, unused };
  await serveStandIns(options, process.stdout, process.env);
}

interface UpFlags {
  engine?: string;
  model?: string;
  prefill: number;
  decode: number;
  port?: number;
  host: string;
  adminPort?: number;
  policy?: string;
  queue?: string;
  record?: string;
  reproducible: boolean;
  dram?: number;
  natsServer?: string;
  readyTimeout: number;
  verbose: boolean;
}

ofRun(program.command('trace'))
  .description('the latest requests as trees: "last", "list", or the beginning of a trace id')
  .argument('<last|list|id>', 'which trace')
  .option('--json', 'spans as JSON', false)
  .action(async (which: string, flags: RunFlags & { json: boolean }) => {
    const { findRun } = await import('./commands/running.ts');
    const { runTrace } = await import('./commands/trace-command.ts');
    const { tracesUrl = '' } = findRun(flags.port);
    await runTrace(which, { tracesUrl, json: flags.json, paint, columns, print });
  });

ofRun(program.command('top'))
  .description('workers, load, tiers and transfers, live; one snapshot without a terminal')
  .action(async (flags: RunFlags) => {
    const { findRun } = await import('./commands/running.ts');
    const { runTop } = await import('./top/top-command.ts');
    await runTop(findRun(flags.port), { paint });
  });

ofRun(program.command('status'))
  .description('what runs, where, and whether it can serve')
  .option('--json', 'as JSON', false)
  .action(async (flags: RunFlags & { json: boolean }) => {
    const { runStatus } = await import('./commands/status-command.ts');
    process.exitCode = await runStatus({ port: flags.port, json: flags.json, paint, print });
  });

interface PolicyFlags extends ConductorFlags {
  model?: string;
  prefill?: string;
  decode?: string;
  queue?: string;
  json: boolean;
}

ofConductor(program.command('policy'))
  .description('how workers are chosen, and another way from now on')
  .argument(
    '[name]',
    `the new one, or "${DEFAULT_NAME}"; without it what there is`,
    oneOf('the policy', [...policyNames, DEFAULT_NAME]),
  )
  .option('--prefill <name>', 'for the prefill worker alone', legPolicy('--prefill'))
  .option('--decode <name>', 'for the decode worker alone', legPolicy('--decode'))
  .option(
    '--queue <order>',
    `who is next: ${queueNames.join(', ')}, ${DEFAULT_NAME}`,
    oneOf('--queue', [...queueNames, DEFAULT_NAME]),
  )
  .option('--model <name>', 'for one model instead of all')
  .option('--json', 'as JSON', false)
  .action(async (policy: string | undefined, flags: PolicyFlags) => {
    const { conductorUrl } = await import('./index/index-target.ts');
    const { runPolicy } = await import('./commands/policy-command.ts');
    const { model, prefill: prefillPolicy, decode: decodePolicy, queue, json } = flags;
    const change = { policy, prefillPolicy, decodePolicy, queue };
    await runPolicy(conductorUrl(flags), { model, change, json, paint, print });
  });

ofConductor(program.command('explain'))
  .description('why a request went where it went: candidates, cost terms, what was pulled')
  .argument('[plan]', 'plan or request id, or its beginning (default: the last plan)')
  .option('--json', 'as JSON', false)
  .action(async (id: string | undefined, flags: ConductorFlags & { json: boolean }) => {
    const { conductorUrl } = await import('./index/index-target.ts');
    const { runExplain } = await import('./commands/explain-command.ts');
    await runExplain(conductorUrl(flags), id, { json: flags.json, paint, print });
  });

addIndex(program, { paint, print });
addWorker(program, { paint, print });
addAdapter(program, { paint, print });
addPrompts(program, { paint, print });
addCostModel(program, { print, note: (line) => void process.stderr.write(`${line}\n`) });
addReplay(program, { paint, print, columns, argv: process.argv, stderr: process.stderr });

addDemo(program, {
  ...{ paint, print },
  rewrite: process.stdout.isTTY
    ? (text) => void process.stdout.write(`\r\x1b[K${text}`)
    : undefined,
  whenOutputGone: (stop) => (onOutputGone = stop),
});

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof BatonError)) throw error;
  process.stderr.write(`${paint.red(error.message)}\n`);
  process.exitCode = 1;
}
