import type { RequestRun } from '../engine/request-run.ts';
import type { TraceRequest } from '../trace/trace-line.ts';
import type { CompleteOptions } from './options.ts';

/** A request of a trace, ready to arrive. Only whole blocks are ever cached. */
export function requestRun(
  request: TraceRequest,
  index: number,
  { speed, blockTokens, hbmBlocks }: CompleteOptions,
): RequestRun {
  const { promptTokens } = request;
  const room = hbmBlocks * blockTokens - promptTokens;
  return {
    requestId: `r${index}`,
    sessionId: request.sessionId,
    promptTokens,
    outputTokens: Math.max(1, Math.min(request.outputTokens, room)),
    blocks: request.blocks.slice(0, Math.floor(promptTokens / blockTokens)),
    planId: '',
    renewedAtMs: 0,
    isAggregated: false,
    isSettled: false,
    firstTokenAtMs: undefined,
    ownBlocks: 0,
    pulled: [],
    generatedTokens: () => 0,
    record: {
      index,
      arrivalMs: request.atMs / speed,
      promptTokens,
      outputTokens: 0,
      ttftMs: undefined,
      meanTbtMs: undefined,
      tailTbtMs: undefined,
      finishedAtMs: undefined,
      refused: undefined,
      waitedMs: 0,
      reusedBlocks: 0,
      pulledBlocks: 0,
      computedTokens: 0,
      movedBytes: 0,
      prefillWorker: undefined,
      decodeWorker: undefined,
    },
  };
}
