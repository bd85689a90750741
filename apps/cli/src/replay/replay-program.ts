import type { Command } from 'commander';
import type { Paint } from '../render/terminal-text.ts';
import { wholeNumber } from '../up/up-options.ts';
import { byteRate, commaList, duration, oneOf, positiveNumber } from './replay-flags.ts';
import {
  defaultRequests,
  defaultWorkers,
  queueNames,
  replayRuns,
  workloadNames,
  type PolicyFlags,
  type SetupFlags,
} from './replay-plan.ts';

interface ReplayFlags extends SetupFlags, Partial<PolicyFlags> {
  pool?: string[];
  json?: string;
  report?: string;
}

const MAX_WORKERS = 512;
const MAX_BLOCKS = 10_000_000;
const MAX_REQUESTS = 1_000_000;

export interface ReplaySurroundings {
  paint: Paint;
  print: (line: string) => void;
  /** Of the terminal; undefined where there is none. */
  columns: number | undefined;
  argv: readonly string[];
  stderr: NodeJS.WriteStream;
}

/** Adds `baton replay` to the program. */
export function addReplay(program: Command, surroundings: ReplaySurroundings): void {
  const workers = (name: string): ((text: string) => number) => wholeNumber(name, 1, MAX_WORKERS);
  const blocks = (name: string, least: number): ((text: string) => number) =>
    wholeNumber(name, least, MAX_BLOCKS);
  program
    .command('replay')
    .description('what each policy would do with a trace: a simulated fleet, the real conductor')
    .option('--trace <file>', "requests in Mooncake's trace format, one JSON object a line")
    .option(
      '--workload <a,b,…>',
      `generated ones instead: ${workloadNames.join(', ')}, or "all"`,
      commaList('--workload'),
    )
    .option(
      '--requests <n>',
      `of a workload (default: ${defaultRequests})`,
      wholeNumber('--requests', 1, MAX_REQUESTS),
    )
    .option(
      '--rate <n>',
      'requests per second of a workload (default: as many as the fleet serves well)',
      positiveNumber('--rate', 100_000),
    )
    .option(
      '--policies <a,b,…>',
      'which, or prefill+decode for two; "all", the default, for each one',
      commaList('--policies'),
    )
    .option(
      '--queue <order>',
      `for all policies: ${queueNames.join(', ')} (default: shortest for kv-centric, immediate for others)`,
      oneOf('--queue', queueNames),
    )
    .option(
      '--pulls <when>',
      'of kv-centric: on, off or both',
      oneOf('--pulls', ['both', 'on', 'off']),
      'both',
    )
    .option('--prefill <n>', `prefill workers (default: ${defaultWorkers})`, workers('--prefill'))
    .option('--decode <n>', `decode workers (default: ${defaultWorkers})`, workers('--decode'))
    .option('--aggregated <n>', 'workers that do both, instead', workers('--aggregated'))
    .option(
      '--speed <factor>',
      'arrivals so many times as fast',
      positiveNumber('--speed', 1000),
      1,
    )
    .option(
      '--slo-ttft <time>',
      'time to first token, e.g. 30s; who would miss it is refused',
      duration('--slo-ttft'),
    )
    .option('--slo-tbt <time>', 'time between tokens, e.g. 100ms', duration('--slo-tbt'))
    .option(
      '--hbm-blocks <n>',
      'KV cache of a worker in blocks of 512 tokens (default: 5859; 2048 with dynamo)',
      blocks('--hbm-blocks', 1),
    )
    .option('--dram-blocks <n>', 'below it', blocks('--dram-blocks', 0), 0)
    .option('--ssd-blocks <n>', 'below that', blocks('--ssd-blocks', 0), 0)
    .option('--link <rate>', 'between two workers: 100GB/s (default) or "free"', byteRate('--link'))
    .option(
      '--racks <n>',
      'that the workers of each role are spread over',
      wholeNumber('--racks', 1, MAX_WORKERS),
      1,
    )
    .option(
      '--link-between <rate>',
      'between two workers of different racks (default: 10GB/s)',
      byteRate('--link-between'),
    )
    .option(
      '--kv-bytes-per-token <n>',
      "default: the model's",
      wholeNumber('--kv-bytes-per-token', 1, 1e9),
    )
    .option('--cost-model <a800|dynamo|file>', 'how long engines take', 'a800')
    .option(
      '--seed <n>',
      'of workloads and of what policies leave to chance',
      wholeNumber('--seed', 0, 2 ** 31),
      1,
    )
    .option('--pool <blocks,…>', 'also: block hits in one LRU pool of so many', commaList('--pool'))
    .option('--json <file>', 'write the figures as JSON')
    .option('--report <folder>', 'write report.html with plots, report.json and report.csv')
    .action((flags: ReplayFlags) => replay(flags, surroundings));
}

async function replay(flags: ReplayFlags, surroundings: ReplaySurroundings): Promise<void> {
  const { policies, queue, pulls = 'both' } = flags;
  const runs = replayRuns({ policies, queue, pulls });
  const pools = (flags.pool ?? []).map(wholeNumber('--pool', 1, MAX_BLOCKS));
  const { stderr, paint, print, argv, columns } = surroundings;
  const { setupsOf } = await import('./replay-setups.ts');
  const { runReplayCommand } = await import('./replay-command.ts');
  await runReplayCommand(setupsOf(flags), runs, pools, {
    ...{ paint, print, columns, jsonFile: flags.json, reportFolder: flags.report },
    command: `npx baton ${argv.slice(2).map(quoted).join(' ')}`,
    progress: { write: (text) => void stderr.write(text), isTty: stderr.isTTY },
  });
}

/** As a shell takes it. */
function quoted(text: string): string {
  return /^[\w./:=,+@%-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
