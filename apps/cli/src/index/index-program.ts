import type { Command } from 'commander';
import type { CommandOutput } from '../commands/explain-command.ts';
import { ofConductor, type ConductorFlags } from '../commands/run-flags.ts';
import { conductorUrl } from './index-target.ts';

interface LookupFlags extends ConductorFlags {
  model?: string;
  chat: boolean;
  text: boolean;
  json: boolean;
}

/** `baton index …`: what the conductor knows of KV. */
export function addIndex(program: Command, output: Omit<CommandOutput, 'json'>): void {
  const index = program
    .command('index')
    .description('what the conductor knows of KV: numbers, who holds a prompt, or everything');
  ofConductor(index.command('stats'))
    .description('segments and replicas, and how well each worker is followed')
    .option('--json', 'as JSON', false)
    .action(async (flags: ConductorFlags & { json: boolean }) => {
      const { runIndexStats } = await import('./stats-command.ts');
      await runIndexStats(conductorUrl(flags), { ...output, json: flags.json });
    });
  ofConductor(index.command('lookup'))
    .description('who holds a prompt: text, or a request of the OpenAI API in JSON')
    .argument('<file>', 'file with the prompt')
    .option('--model <name>', 'which model, where there are several and no request says')
    .option('--chat', 'the text is the message of a chat', false)
    .option('--text', 'plain text, also where it looks like JSON', false)
    .option('--json', 'as JSON', false)
    .action(async (file: string, flags: LookupFlags) => {
      const { runIndexLookup } = await import('./lookup-command.ts');
      const { model, chat: isChat, text: isText, json } = flags;
      const choice = { model, isChat, isText };
      await runIndexLookup(conductorUrl(flags), file, choice, { ...output, json });
    });
  ofConductor(index.command('dump'))
    .description('every replica as a line of JSON: worker, rank, tier, key')
    .action(async (flags: ConductorFlags) => {
      const { runIndexDump } = await import('./dump-command.ts');
      await runIndexDump(conductorUrl(flags), process.stdout);
    });
}
