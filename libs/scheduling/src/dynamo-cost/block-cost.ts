import type { CostTerms } from '../policy.ts';
import type { DynamoCostParameters } from './parameters.ts';

/** What the cost of one rank is made of, in blocks of its engine; fractions where tokens are no whole blocks. */
export interface BlockCounts {
  /** Of prompts that it was given before and has not computed. */
  waitingPrefill: number;
  /** Waiting more than at the least loaded rank. */
  excessPrefill: number;
  prompt: number;
  device: number;
  host: number;
  disk: number;
  /** KV of requests at work. */
  active: number;
  /** What this request adds to that. */
  added: number;
  requests: number;
}

/**
 * Cost in blocks: prefill that will wait at the rank, with a credit for what it holds of this prompt,
 * and KV of all requests that will be at work.
 */
export function blockCost(
  counts: BlockCounts,
  parameters: DynamoCostParameters,
): { terms: CostTerms; cost: number } {
  const { waitingPrefill, excessPrefill, prompt, device, host, disk } = counts;
  const { overlapCredit, overlapCreditDecay, hostCredit, diskCredit } = parameters;
  // A rank without excess keeps its credit, also for an empty prompt.
  const share = excessPrefill > 0 ? excessPrefill / prompt : 0;
  const deviceCredit = overlapCredit / (1 + overlapCreditDecay * share);
  const creditBlocks = deviceCredit * device + hostCredit * host + diskCredit * disk;
  const adjusted = Math.max(0, waitingPrefill + prompt - creditBlocks);
  const prefillBlocks = parameters.prefillLoadScale * adjusted;
  const decodeBlocks = counts.active + counts.added;
  const requestBlocks = parameters.decodeRequestWeight * counts.requests;
  const terms = { prefillBlocks, creditBlocks, decodeBlocks, requestBlocks };
  return { terms, cost: prefillBlocks + decodeBlocks + requestBlocks };
}
