import type { ParameterTable, ParameterValues } from '../parameters.ts';

export const sessionParameters = {
  virtualNodes: {
    value: 150,
    atLeast: 1,
    meaning: 'places of each rank on the ring',
    source: 'SGLang gateway (SMG) @73da68ca hash ring',
  },
  idleMs: {
    value: 14_400_000,
    above: 0,
    meaning: 'a session that is quiet for longer is placed anew',
    source: 'SGLang gateway (SMG) @73da68ca manual: 4 h',
  },
  maxSessions: {
    value: 100_000,
    atLeast: 1,
    meaning: 'sessions that are remembered; the one that is quiet for longest is forgotten first',
    source: 'own',
  },
} as const satisfies ParameterTable;

export type SessionParameters = ParameterValues<typeof sessionParameters>;
