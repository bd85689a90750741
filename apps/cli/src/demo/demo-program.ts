import { BatonError } from '@baton/kv';
import type { Command } from 'commander';
import { ofRun, type RunFlags } from '../commands/run-flags.ts';
import type { Paint } from '../render/terminal-text.ts';
import { StopRequest } from '../up/stop-request.ts';

/** As a shell does for a program that Ctrl-C ended. */
const INTERRUPTED = 130;

interface DemoFlags extends RunFlags {
  model?: string;
  json: boolean;
}

export interface DemoSurroundings {
  paint: Paint;
  print: (line: string) => void;
  /** Undefined where a line cannot be rewritten. */
  rewrite: ((text: string) => void) | undefined;
  /** Calls it instead of ending the process when nobody reads the output any more. */
  whenOutputGone: (stop: () => void) => void;
}

/** Adds `baton demo` to the program. */
export function addDemo(program: Command, surroundings: DemoSurroundings): void {
  ofRun(program.command('demo'))
    .description('one small load by round robin and by Baton: what is computed, reused and moved')
    .option('--model <name>', 'which model, where there are several')
    .option('--json', 'as JSON', false)
    .action(async ({ port, model, json }: DemoFlags) => {
      const { findRun } = await import('../commands/running.ts');
      const { conductorUrl } = await import('../index/index-target.ts');
      const { runDemo } = await import('./demo-command.ts');
      const { gatewayUrl } = findRun(port);
      const target = { gatewayUrl, conductorUrl: conductorUrl({ ...(port && { port }) }), model };
      const { paint, print, rewrite, whenOutputGone } = surroundings;
      const stop = new StopRequest();
      const endListening = stop.listen();
      whenOutputGone(() => stop.request('SIGHUP'));
      try {
        const output = { json, paint, print, status: (json ? undefined : rewrite) ?? (() => {}) };
        await runDemo(target, output, stop.signal);
      } catch (error) {
        // A fault of ours is worth a word then, too: the policy may not be what it was.
        if (!stop.signal.aborted || error instanceof BatonError) throw error;
        process.exitCode = INTERRUPTED;
      } finally {
        endListening();
      }
    });
}
