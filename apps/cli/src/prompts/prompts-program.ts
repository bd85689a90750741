import type { Command } from 'commander';
import type { Paint } from '../render/terminal-text.ts';
import { wholeNumber } from '../up/up-options.ts';

interface PromptsFlags {
  trace: string;
  json: boolean;
  top: number;
  minRequests: number;
}

const MAX_TOP = 1_000;
const DEFAULT_TOP = 10;
const DEFAULT_MIN_REQUESTS = 10;

export interface PromptsSurroundings {
  paint: Paint;
  print: (line: string) => void;
}

/** Adds `baton prompts` to the program. */
export function addPrompts(program: Command, { paint, print }: PromptsSurroundings): void {
  program
    .command('prompts')
    .description('where shared prefixes of a request log break, and what that costs')
    .requiredOption('--trace <file>', "requests in Mooncake's trace format, one JSON object a line")
    .option('--json', 'as JSON', false)
    .option('--top <n>', 'lines of each table', wholeNumber('--top', 1, MAX_TOP), DEFAULT_TOP)
    .option(
      '--min-requests <n>',
      'fewer that part are no break',
      wholeNumber('--min-requests', 2, 1e9),
      DEFAULT_MIN_REQUESTS,
    )
    .action(async ({ trace, json, top, minRequests }: PromptsFlags) => {
      const { blockTokensOf, readTrace } = await import('../replay/read-trace.ts');
      const { analysePrompts } = await import('./prompt-analysis.ts');
      const { promptLines } = await import('./prompts-view.ts');
      const requests = readTrace(trace, 'any');
      const blockTokens = blockTokensOf(requests[0]);
      const analysis = analysePrompts(requests, { blockTokens, minRequests, top });
      if (json) print(JSON.stringify(analysis, null, 2));
      else for (const line of promptLines(analysis, paint)) print(line);
    });
}
