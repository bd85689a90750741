import type { Role, WorkerFacts } from '@baton/cluster';
import type { CompleteOptions } from './options.ts';

/** The one model of a simulated fleet. */
export const SIM_MODEL = 'simulated';

/** The workers of a fleet by role: p1, p2, …, d1, …, w1, …; numbers are padded, so that ids sort like them. */
export function fleetFacts(options: CompleteOptions): WorkerFacts[] {
  const { prefill = 0, decode = 0, aggregated = 0 } = options.fleet;
  const named = (letter: string, role: Role, count: number): WorkerFacts[] =>
    Array.from({ length: count }, (_, i) => {
      const number = String(i + 1).padStart(String(count).length, '0');
      return workerFacts(`${letter}${number}`, role, options);
    });
  return [
    ...named('p', 'prefill', prefill),
    ...named('d', 'decode', decode),
    ...named('w', 'both', aggregated),
  ];
}

function workerFacts(workerId: string, role: Role, options: CompleteOptions): WorkerFacts {
  const { blockTokens, kvBytesPerToken, hbmBlocks, dramBlocks, maxSequences, cost } = options;
  return {
    workerId,
    role,
    model: SIM_MODEL,
    engine: `sim-${cost.name}`,
    engineUrl: `sim://${workerId}`,
    transferAddress: workerId,
    layout: {
      modelRevision: cost.name,
      dtype: 'f16',
      layers: 1,
      ranks: 1,
      blockTokens,
      connector: 'baton',
      connectorVersion: '1',
      bytesPerToken: kvBytesPerToken,
      segmentBytes: kvBytesPerToken * blockTokens,
    },
    tokenization: 'simulated',
    segmentTokens: blockTokens,
    maxModelTokens: hbmBlocks * blockTokens,
    kvCapacityBlocks: hbmBlocks,
    maxSequences,
    capabilities: {
      pullPrefix: true,
      exportPrefix: true,
      overlapHandover: options.overlapHandover,
      firstTokenFromPrefill: cost.firstToken === 'prefill',
      takeSalt: false,
      takeTokens: true,
      release: true,
      migrate: false,
      callTools: false,
    },
    dramCapacitySegments: dramBlocks,
  };
}
