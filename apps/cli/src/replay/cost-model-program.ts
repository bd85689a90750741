import type { Command } from 'commander';
import { BatonError } from '@baton/kv';
import { ofConductor, type ConductorFlags } from '../commands/run-flags.ts';
import { wholeNumber } from '../up/up-options.ts';
import type { DecodeCost } from './learned-cost.ts';

interface CostModelFlags extends ConductorFlags {
  kind?: string;
  decode?: DecodeCost;
  chunkTokens?: number;
}

export interface CostModelSurroundings {
  print: (line: string) => void;
  /** For people: the file goes elsewhere. */
  note: (line: string) => void;
}

/** Adds `baton cost-model` to the program. */
export function addCostModel(program: Command, { print, note }: CostModelSurroundings): void {
  ofConductor(program.command('cost-model'))
    .description(
      'what the conductor has learned of its engines, as a file for "replay --cost-model"',
    )
    .option('--kind <model engine>', 'which workers, where there are several kinds')
    .option(
      '--decode <fixed,per sequence,per KV token>',
      'ms of a decode step, where they are known better than learned',
      decodeCost,
    )
    .option(
      '--chunk-tokens <n>',
      'prompt tokens that one engine step computes (default: 8192)',
      wholeNumber('--chunk-tokens', 1, 10_000_000),
    )
    .action(async (flags: CostModelFlags) => {
      const { askConductor, conductorUrl } = await import('../index/index-target.ts');
      const { learnedCostFile } = await import('./learned-cost.ts');
      const url = conductorUrl(flags);
      const [policies, workers] = await Promise.all([
        askConductor(url, '/policies'),
        askConductor(url, '/workers'),
      ]);
      const { kind, decode, chunkTokens } = flags;
      const { cost, notes } = learnedCostFile(policies, workers, { kind, decode, chunkTokens });
      for (const line of notes) note(line);
      print(JSON.stringify(cost, rounded, 2));
    });
}

/** Measured times are not known to more digits. */
function rounded(_key: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isInteger(value)
    ? Number(value.toPrecision(4))
    : value;
}

/** @throws BatonError config_invalid for anything but three numbers from 0 on */
function decodeCost(text: string): DecodeCost {
  const numbers = text.split(',').map((part) => (/^\s*\d/.test(part) ? Number(part) : Number.NaN));
  const [fixedMs, perSequenceMs, perKvTokenMs] = numbers;
  if (numbers.length === 3 && numbers.every((number) => number >= 0)) {
    return {
      fixedMs: fixedMs ?? 0,
      perSequenceMs: perSequenceMs ?? 0,
      perKvTokenMs: perKvTokenMs ?? 0,
    };
  }
  throw new BatonError(
    'config_invalid',
    `--decode must be three times in ms such as 9,0.05,0.00003, ${JSON.stringify(text.slice(0, 80))} is not.`,
    { details: { field: '--decode' } },
  );
}
