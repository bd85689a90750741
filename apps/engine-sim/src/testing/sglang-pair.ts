import { post, type HttpAnswer } from '@baton/test-kit';
import { onTestFinished } from 'vitest';
import { startSglangFleet, type SglangFleetOptions, type StandInFleet } from '../fleet.ts';
import type { StandIn } from '../stand-in.ts';
import { COMPLETIONS, MODEL } from './asking.ts';

/** Where the prefill side of {@link startedSglangPair} can be met. */
export const PLACE = { bootstrap_host: '127.0.0.1', bootstrap_port: 8_998 };

/** A prefill side, a decode side and one that does whole requests; small and fast, and ended with the test. */
export async function startedSglangPair(
  options: SglangFleetOptions = {},
): Promise<{ fleet: StandInFleet; p: StandIn; d: StandIn; whole: StandIn }> {
  const fleet = await startSglangFleet(['p', 'd', 'whole'], {
    ...{ speedUp: 1_000, blocks: 256, maxModelTokens: 1_024 },
    modeOf: (i) => (['prefill', 'decode', 'null'] as const)[i] ?? 'null',
    ...options,
  });
  onTestFinished(() => fleet.stop());
  const [p, d, whole] = fleet.engines;
  if (p === undefined || d === undefined || whole === undefined) {
    throw new Error('three engines were started');
  }
  return { fleet, p, d, whole };
}

/** Both legs at once. */
export async function pair(
  { p, d }: { p: StandIn; d: StandIn },
  body: object,
  path = COMPLETIONS,
): Promise<[HttpAnswer, HttpAnswer]> {
  const call = { model: MODEL, ...PLACE, ...body };
  return Promise.all([post(p.url, path, call), post(d.url, path, call)]);
}
