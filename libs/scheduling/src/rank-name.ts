import type { PlacedRank } from './policy.ts';

/** One name for one rank of one worker. */
export function rankName({ workerId, rank }: PlacedRank): string {
  return `${workerId}/${rank}`;
}

/** The name is of a rank of that worker. */
export function isRankOf(workerId: string, name: string): boolean {
  return name.startsWith(`${workerId}/`);
}
