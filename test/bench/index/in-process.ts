import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Figure } from '../report.ts';
import type { ProfileFigures } from './profile.ts';

const REPLICAS = 5_000_000;
/** The naive index is too slow and large for the same number; its figures per item hardly change. */
const NAIVE_REPLICAS = 1_000_000;
const HOLDERS = [1, 8, 64];

const program = fileURLToPath(new URL('./profile.ts', import.meta.url));

/** Lookups, deltas, memory and match times with 1, 8 and 64 holders of each segment; the worst counts. */
export async function inProcess(
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<Figure[]> {
  const ours: ProfileFigures[] = [];
  const naive: ProfileFigures[] = [];
  for (const holders of HOLDERS) {
    ours.push(await profile('segment', holders, REPLICAS, signal));
    naive.push(await profile('map', holders, NAIVE_REPLICAS, signal));
    say(`${holders} holders: ${describe(ours.at(-1))}; naive: ${describe(naive.at(-1))}`);
  }
  const worst = (of: ProfileFigures[], read: (figures: ProfileFigures) => number): number =>
    Math.min(...of.map(read));
  const slowest = (of: ProfileFigures[], read: (figures: ProfileFigures) => number): number =>
    Math.max(...of.map(read));
  const rate = (name: string, read: (figures: ProfileFigures) => number): Figure =>
    against(name, '/s', worst(ours, read), worst(naive, read));
  const time = (name: string, read: (figures: ProfileFigures) => number): Figure =>
    against(name, 'us', slowest(ours, read), slowest(naive, read));
  const bytes = (holders: number): Figure => {
    const at = HOLDERS.indexOf(holders);
    const read = (of: ProfileFigures[]): number => of[at]?.bytesPerReplica ?? Number.NaN;
    return against(`index.bytes_per_replica_${holders}`, 'bytes', read(ours), read(naive));
  };
  return [
    rate('index.lookups_per_s', (figures) => figures.lookupsPerSec),
    rate('index.deltas_per_s', (figures) => figures.deltasPerSec),
    ...HOLDERS.map(bytes),
    time('index.match_8k_p50_us', (figures) => figures.match8k.p50Us),
    time('index.match_8k_p99_us', (figures) => figures.match8k.p99Us),
    time('index.match_128k_p50_us', (figures) => figures.match128k.p50Us),
    time('index.match_128k_p99_us', (figures) => figures.match128k.p99Us),
  ];
}

async function profile(
  kind: 'segment' | 'map',
  holders: number,
  replicas: number,
  signal: AbortSignal,
): Promise<ProfileFigures> {
  const args = ['--expose-gc', '--max-old-space-size=12000', program, kind, `${holders}`];
  const command = [...args, `${replicas}`];
  const { stdout } = await promisify(execFile)(process.execPath, command, { signal });
  return JSON.parse(stdout) as ProfileFigures;
}

function against(name: string, unit: string, value: number, baseline: number): Figure {
  return { name, unit, value, baseline, ratio: value / baseline };
}

function describe(figures: ProfileFigures | undefined): string {
  if (figures === undefined) return '';
  const { lookupsPerSec, deltasPerSec, bytesPerReplica, match8k, match128k } = figures;
  return [
    `${(lookupsPerSec / 1e6).toFixed(1)} M lookups/s`,
    `${(deltasPerSec / 1e6).toFixed(1)} M deltas/s`,
    `${bytesPerReplica.toFixed(1)} bytes a replica`,
    `match ${match8k.p50Us.toFixed(1)} and ${match128k.p50Us.toFixed(0)} us`,
  ].join(', ');
}
