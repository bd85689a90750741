import type { Command } from 'commander';
import type { CommandOutput } from '../commands/explain-command.ts';
import { ofConductor, type ConductorFlags } from '../commands/run-flags.ts';
import { conductorUrl } from '../index/index-target.ts';

interface AnswerFlags extends ConductorFlags {
  json: boolean;
}

interface AdapterFlags extends AnswerFlags {
  worker: string[];
}

/** `baton adapter …`: LoRA adapters of vLLM and SGLang. */
export function addAdapter(program: Command, output: Omit<CommandOutput, 'json'>): void {
  const adapter = program
    .command('adapter')
    .description('LoRA adapters of vLLM and SGLang: which engine has which, load, unload');
  const workers = (id: string, others: string[]): string[] => [...others, id];
  ofConductor(adapter.command('list'))
    .option('--json', 'as JSON', false)
    .description('adapters, who has them, and where they are warm')
    .action(async (flags: AnswerFlags) => {
      const { listAdapters } = await import('./adapter-command.ts');
      await listAdapters(conductorUrl(flags), { ...output, json: flags.json });
    });
  ofConductor(adapter.command('load'))
    .option('--json', 'as JSON', false)
    .description('has engines load an adapter; exit code 1 when one does not')
    .argument('<name>', 'that clients use as "model"')
    .requiredOption('--path <path>', 'of its weights, on the machines of the engines')
    .option('--worker <id>', 'on this one instead of all; several times', workers, [])
    .option('--model <name>', 'on those of this model, where engines have several')
    .action(async (name: string, flags: AdapterFlags & { path: string; model?: string }) => {
      const { loadAdapter } = await import('./adapter-command.ts');
      const { path, model, worker, json } = flags;
      const meant = worker.length > 0 ? worker : undefined;
      const isDone = await loadAdapter(
        conductorUrl(flags),
        { name, path, model, workers: meant },
        { ...output, json },
      );
      if (!isDone) process.exitCode = 1;
    });
  ofConductor(adapter.command('unload'))
    .option('--json', 'as JSON', false)
    .description('waits for requests that use it, and has engines unload an adapter')
    .argument('<name>', 'the adapter, as "adapter list" names it')
    .option('--worker <id>', 'on this one instead of all; several times', workers, [])
    .option('--now', 'does not wait', false)
    .action(async (name: string, flags: AdapterFlags & { now: boolean }) => {
      const { unloadAdapter } = await import('./adapter-command.ts');
      const { worker, now: isNow, json } = flags;
      const meant = { name, workers: worker, isNow };
      const isDone = await unloadAdapter(conductorUrl(flags), meant, { ...output, json });
      if (!isDone) process.exitCode = 1;
    });
}
