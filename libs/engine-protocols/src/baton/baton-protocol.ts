import type { ResumingProtocol } from '../engine-protocol.ts';
import { readAccounting, readPrefill } from './leg-answers.ts';
import { aggregatedCall, decodeCall, prefillCall, resumeCall } from './leg-bodies.ts';

/** Engines beside which an agent of Baton's moves the KV: both legs at once, the first token from prefill. */
export const batonProtocol: ResumingProtocol = {
  order: 'resuming',
  aggregated: aggregatedCall,
  prefill: prefillCall,
  decode: decodeCall,
  resume: resumeCall,
  // Baton's engine has one.
  atRank: (call) => call,
  readPrefill,
  readAccounting,
};
