import type { Command } from 'commander';
import { BatonError } from '@baton/kv';
import type { Paint } from '../render/terminal-text.ts';
import { wholeNumber } from '../up/up-options.ts';
import { byteRate, commaList, duration, oneOf, positiveNumber } from './replay-flags.ts';
import { queueNames, replayRuns, type PolicyFlags, type ReplaySetup } from './replay-plan.ts';

interface ReplayFlags extends Partial<PolicyFlags> {
  trace: string;
  prefill?: number;
  decode?: number;
  aggregated?: number;
  speed: number;
  sloTtft?: number;
  sloTbt?: number;
  hbmBlocks?: number;
  dramBlocks: number;
  ssdBlocks: number;
  link?: number;
  kvBytesPerToken?: number;
  costModel: string;
  seed: number;
  pool?: string[];
  json?: string;
  report?: string;
}

const MAX_WORKERS = 512;
const MAX_BLOCKS = 10_000_000;
const DEFAULT_WORKERS = 8;

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
    .requiredOption('--trace <file>', "requests in Mooncake's trace format, one JSON object a line")
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
    .option('--prefill <n>', `prefill workers (default: ${DEFAULT_WORKERS})`, workers('--prefill'))
    .option('--decode <n>', `decode workers (default: ${DEFAULT_WORKERS})`, workers('--decode'))
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
      '--kv-bytes-per-token <n>',
      "default: the model's",
      wholeNumber('--kv-bytes-per-token', 1, 1e9),
    )
    .option('--cost-model <a800|dynamo|file>', 'how long engines take', 'a800')
    .option('--seed <n>', 'of what is left to chance', wholeNumber('--seed', 0, 2 ** 31), 1)
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
  const { runReplayCommand } = await import('./replay-command.ts');
  await runReplayCommand(setupOf(flags), runs, pools, {
    ...{ paint, print, columns, jsonFile: flags.json, reportFolder: flags.report },
    command: `npx baton ${argv.slice(2).map(quoted).join(' ')}`,
    progress: { write: (text) => void stderr.write(text), isTty: stderr.isTTY },
  });
}

/** As a shell takes it. */
function quoted(text: string): string {
  return /^[\w./:=,+@%-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function setupOf(flags: ReplayFlags): ReplaySetup {
  const { prefill, decode, aggregated } = flags;
  if (aggregated !== undefined && (prefill ?? decode) !== undefined) {
    throw new BatonError(
      'config_invalid',
      '--aggregated is instead of --prefill and --decode: give either.',
    );
  }
  const fleet =
    aggregated === undefined
      ? { prefill: prefill ?? DEFAULT_WORKERS, decode: decode ?? DEFAULT_WORKERS }
      : { aggregated };
  const { trace, costModel, speed, dramBlocks, ssdBlocks, seed } = flags;
  return {
    ...{ traceFile: trace, costModel, fleet, speed, dramBlocks, ssdBlocks, seed },
    hbmBlocks: flags.hbmBlocks,
    linkBytesPerSec: flags.link,
    kvBytesPerToken: flags.kvBytesPerToken,
    sloTtftMs: flags.sloTtft,
    sloTbtMs: flags.sloTbt,
  };
}
