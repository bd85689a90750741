import type { Role, WorkerFacts } from '@baton/cluster';
import type { CompleteOptions, FleetSize } from './options.ts';

/** The one model of a simulated fleet. */
export const SIM_MODEL = 'simulated';

interface FleetWorker {
  workerId: string;
  role: Role;
  /** Its place among those of its role, from 0 on, and how many these are. */
  at: number;
  of: number;
}

/** The workers of a fleet by role: p1, p2, …, d1, …, w1, …; numbers are padded, so that ids sort like them. */
export function fleetWorkers({
  prefill = 0,
  decode = 0,
  aggregated = 0,
}: FleetSize): FleetWorker[] {
  const named = (letter: string, role: Role, of: number): FleetWorker[] =>
    Array.from({ length: of }, (_, at) => {
      const number = String(at + 1).padStart(String(of).length, '0');
      return { workerId: `${letter}${number}`, role, at, of };
    });
  return [
    ...named('p', 'prefill', prefill),
    ...named('d', 'decode', decode),
    ...named('w', 'both', aggregated),
  ];
}

/** What the workers of a fleet say of themselves. */
export function fleetFacts(options: CompleteOptions): WorkerFacts[] {
  return fleetWorkers(options.fleet).map(({ workerId, role }) =>
    workerFacts(workerId, role, options),
  );
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
