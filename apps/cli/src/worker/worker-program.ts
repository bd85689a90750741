import type { Credentials } from '@baton/engine-clients';
import type { Command } from 'commander';
import type { CommandOutput } from '../commands/explain-command.ts';
import { ofConductor, type ConductorFlags } from '../commands/run-flags.ts';
import { conductorUrl } from '../index/index-target.ts';
import { oneOf } from '../replay/replay-flags.ts';
import { engineUrl, pairConnectors } from '../serve/serve-options.ts';
import { maxPort } from '../up/ports.ts';
import { wholeNumber } from '../up/up-options.ts';

interface AnswerFlags extends ConductorFlags {
  json: boolean;
}

interface AccessFlags {
  apiKeyFile?: string;
  ca?: string;
}

interface AddFlags extends AnswerFlags, AccessFlags {
  url: string[];
  role: string;
  id?: string;
  kvBytesPerToken?: number;
  maxSequences?: number;
  connector?: string;
  bootstrapPort?: number;
}

/** `baton worker …`: engines that run already and have no agent. */
export function addWorker(program: Command, output: Omit<CommandOutput, 'json'>): void {
  const worker = program
    .command('worker')
    .description('engines that run already and have no agent: what is known, add, remove, check');
  const count = (flag: string) => wholeNumber(flag, 1, Number.MAX_SAFE_INTEGER);
  const url = engineUrl('--url');
  const ofEngine = (command: Command): Command =>
    command
      .requiredOption('--url <url>', 'where it serves HTTP', url, [])
      .option('--api-key-file <file>', 'with the API key that it asks for')
      .option('--ca <file>', 'PEM of the authority that signed its certificate');
  ofConductor(worker.command('list'))
    .option('--json', 'as JSON', false)
    .description('engines without an agent, and what is known of each')
    .action(async (flags: AnswerFlags) => {
      const { listEngines } = await import('./worker-command.ts');
      await listEngines(conductorUrl(flags), { ...output, json: flags.json });
    });
  ofConductor(ofEngine(worker.command('add')))
    .option('--json', 'as JSON', false)
    .description('has a running engine looked at, and served when it can be; exit code 1 while not')
    .option('--role <role>', 'both, prefill, decode', oneOf('--role', roles), 'both')
    .option('--id <id>', 'name of the worker (default: its host and port)')
    .option('--kv-bytes-per-token <n>', 'KV of its model', count('--kv-bytes-per-token'))
    .option('--max-sequences <n>', 'requests that it runs at once', count('--max-sequences'))
    .option(
      '--connector <name>',
      'what moves its KV in pairs, where vLLM does not tell: nixl-push, mooncake',
      oneOf('--connector', pairConnectors),
    )
    .option(
      '--bootstrap-port <port>',
      'of MooncakeConnector beside it (default: 8998)',
      wholeNumber('--bootstrap-port', 1, maxPort),
    )
    .action(async (flags: AddFlags) => {
      const { addEngine } = await import('./worker-command.ts');
      const { url: urls, role, id: workerId, kvBytesPerToken, maxSequences } = flags;
      const engine = {
        ...{ url: urls.at(-1) ?? '', role, workerId, kvBytesPerToken, maxSequences },
        ...{ connector: flags.connector, bootstrapPort: flags.bootstrapPort },
        ...(await credentialsOf(flags)),
      };
      const said = { ...output, json: flags.json };
      if (!(await addEngine(conductorUrl(flags), engine, said))) process.exitCode = 1;
    });
  ofConductor(worker.command('remove'))
    .option('--json', 'as JSON', false)
    .description(
      'plans nothing on it, and waits until what runs needs it no more; the engine goes on',
    )
    .argument('<id>', 'the worker, as "worker list" names it')
    .option('--now', 'does not wait', false)
    .action(async (id: string, flags: AnswerFlags & { now: boolean }) => {
      const { removeEngine } = await import('./worker-command.ts');
      const said = { ...output, json: flags.json };
      await removeEngine(conductorUrl(flags), id, flags.now, said);
    });
  ofEngine(worker.command('check'))
    .description(
      'what of Baton works with a running engine, seen from here; exit code 1 if it cannot be served',
    )
    .option('--json', 'as JSON', false)
    .action(async (flags: AccessFlags & { url: string[]; json: boolean }) => {
      const { checkEngine } = await import('./check-engine.ts');
      const at = flags.url.at(-1) ?? '';
      const said = { ...output, json: flags.json };
      const ok = await checkEngine(at, await credentialsOf(flags), said);
      if (!ok) process.exitCode = 1;
    });
}

async function credentialsOf({ apiKeyFile, ca: caFile }: AccessFlags): Promise<Credentials> {
  const { readCredentials } = await import('@baton/engine-clients');
  return readCredentials({ apiKeyFile, caFile });
}

const roles = ['both', 'prefill', 'decode'] as const;
