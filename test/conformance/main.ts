import { parseArgs } from 'node:util';
import { finding, type Check, type Finding } from './check.ts';
import { adapters } from './vllm/adapters.ts';
import { cancelling } from './vllm/cancelling.ts';
import { addedTime } from './vllm/added-time.ts';
import { cachedTokens } from './vllm/cached-tokens.ts';
import { contract } from './vllm/contract.ts';
import { equality } from './vllm/equality.ts';
import { installVllm, VLLM_VERSION, type VllmInstallation } from './vllm/install.ts';
import { openLoop } from './vllm/open-loop.ts';
import { withVllmLab, type PairSetup, type VllmLab } from './vllm/lab.ts';
import { ranks, withRanksLab } from './vllm/ranks.ts';
import { restarts } from './vllm/restarts.ts';
import { turns } from './vllm/turns.ts';
import { adapters as connectorAdapters } from './vllm-connector/adapters.ts';
import { arena } from './vllm-connector/arena.ts';
import { handingOver } from './vllm-connector/handing-over.ts';
import { withConnectorLab, type ConnectorLab, type ConnectorSetup } from './vllm-connector/lab.ts';
import { underLoad } from './vllm-connector/under-load.ts';
import { resultTable, writeResults } from './report.ts';

const usage = `usage: npm run conformance -- SUITE [--only NAME,…] [--write]

Runs Baton against real engines on this machine's CPU. Takes many minutes, and 6 GB of disk the first time.
vllm                     two vLLM servers with NixlConnector, without agents: %vllm
vllm-bidirectional       two whose prefill also reads from decode: %vllm-bidirectional
vllm-push                two with NixlPushConnector: %vllm-push
vllm-mooncake            two with MooncakeConnector, over TCP: %vllm-mooncake
vllm-adapters            two with LoRA adapters: %vllm-adapters
vllm-ranks               one with two data-parallel ranks: %vllm-ranks
vllm-connector           two with Baton's connector and agents: %vllm-connector
vllm-connector-adapters  the same with LoRA adapters: %vllm-connector-adapters
--only   some of these
--write  puts the result into docs/engines.md`;

type WithLab<Lab> = (
  installation: VllmInstallation,
  say: (line: string) => void,
  signal: AbortSignal,
  use: (lab: Lab) => Promise<void>,
) => Promise<void>;

/** What there is to check, and what it is checked on. */
interface Suite {
  /** What it runs on, for readers of its result. */
  engine: string;
  names: string[];
  run(only: readonly string[], installation: VllmInstallation): Promise<void>;
}

/** As shells have it for Ctrl-C. */
const EXIT_INTERRUPTED = 130;

const say = (line: string): void => console.log(`  ${line}`);
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
const findings: Finding[] = [];

function suite<Lab>(engine: string, withLab: WithLab<Lab>, checks: readonly Check<Lab>[]): Suite {
  const one = async (check: Check<Lab>, lab: Lab): Promise<void> => {
    console.log(`${check.name}: ${check.describes}`);
    const found = await check
      .run(lab)
      .catch((error: unknown) => [finding(check.name, false, `failed: ${String(error)}`)]);
    for (const { what, seen, holds } of found) say(`${holds ? 'ok' : 'NOT OK'}  ${what}: ${seen}`);
    findings.push(...found);
    stop.signal.throwIfAborted();
  };
  return {
    engine,
    names: checks.map(({ name }) => name),
    run: (only, installation) =>
      withLab(installation, say, stop.signal, async (lab) => {
        for (const check of checks) if (only.includes(check.name)) await one(check, lab);
      }),
  };
}

const pairBy =
  (setup: PairSetup): WithLab<VllmLab> =>
  (...rest) =>
    withVllmLab(setup, ...rest);

const connectorBy =
  (setup: ConnectorSetup): WithLab<ConnectorLab> =>
  (...rest) =>
    withConnectorLab(setup, ...rest);

const loraSetup = {
  flags: ['--enable-lora', '--max-loras', '2', '--max-lora-rank', '8'],
  env: { VLLM_ALLOW_RUNTIME_LORA_UPDATING: 'True' },
};

const suites: Readonly<Record<string, Suite>> = {
  vllm: suite(`vLLM ${VLLM_VERSION}`, pairBy({ connector: 'NixlConnector' }), [
    contract,
    equality,
    cachedTokens,
    openLoop,
    addedTime,
    cancelling,
    restarts,
  ]),
  'vllm-bidirectional': suite(
    `vLLM ${VLLM_VERSION} with bidirectional_kv_xfer`,
    // Decode keeps every turn for minutes.
    pairBy({ connector: 'NixlConnector', extra: { bidirectional_kv_xfer: true }, blocks: 4_096 }),
    [contract, equality, turns],
  ),
  'vllm-push': suite(
    `vLLM ${VLLM_VERSION} with NixlPushConnector`,
    pairBy({ connector: 'NixlPushConnector', serveFlags: () => ['--connector', 'nixl-push'] }),
    [contract, equality, cancelling],
  ),
  'vllm-mooncake': suite(
    `vLLM ${VLLM_VERSION} with MooncakeConnector`,
    pairBy({
      ...{ connector: 'MooncakeConnector', extra: { mooncake_protocol: 'tcp' } },
      serveFlags: ({ sidePort }) => [
        ...['--connector', 'mooncake', '--bootstrap-port', String(sidePort)],
      ],
    }),
    [contract, equality, cancelling],
  ),
  'vllm-adapters': suite(
    `vLLM ${VLLM_VERSION} with --enable-lora`,
    pairBy({
      connector: 'NixlConnector',
      ...loraSetup,
    }),
    [contract, adapters],
  ),
  'vllm-ranks': suite(`vLLM ${VLLM_VERSION} with --data-parallel-size 2`, withRanksLab, [ranks]),
  'vllm-connector': suite(`vLLM ${VLLM_VERSION} with Baton's connector`, connectorBy({}), [
    handingOver,
    arena,
    underLoad,
  ]),
  'vllm-connector-adapters': suite(
    `vLLM ${VLLM_VERSION} with Baton's connector and --enable-lora`,
    connectorBy(loraSetup),
    [connectorAdapters],
  ),
};

const { positionals, values } = asked();
const [name = ''] = positionals;
const chosen = Object.hasOwn(suites, name) ? suites[name] : undefined;
const only = values.only?.split(',') ?? chosen?.names ?? [];
const unknown = only.filter((name) => chosen?.names.includes(name) === false);
if (chosen === undefined || positionals.length > 1 || unknown.length > 0) {
  if (unknown.length > 0) console.error(`--only: there is no ${unknown.join(', ')}`);
  console.error(help());
  process.exit(2);
}

try {
  await chosen.run(only, await installed());
} catch (error) {
  if (!stop.signal.aborted) throw error;
  console.error('stopped');
  process.exit(EXIT_INTERRUPTED);
}
const isGood = findings.every(({ holds }) => holds);
console.log(resultTable(findings));
if (values.write) writeResults(name, chosen.engine, findings);
process.exitCode = isGood ? 0 : 1;

/** As given, or from the user's cache. */
async function installed(): Promise<VllmInstallation> {
  const { venv, model } = values;
  if (venv !== undefined && model !== undefined) return { venv, model };
  return installVllm(say, stop.signal);
}

function asked() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        only: { type: 'string' },
        write: { type: 'boolean', default: false },
        venv: { type: 'string' },
        model: { type: 'string' },
      },
    });
  } catch (error) {
    console.error(`${String(error)}\n\n${help()}`);
    process.exit(2);
  }
}

function help(): string {
  const names = (key: string): string => suites[key]?.names.join(', ') ?? '';
  return usage.replace(/%([a-z-]+)/g, (_, key: string) => names(key));
}
