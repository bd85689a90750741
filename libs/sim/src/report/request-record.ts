/** What became of one request. Times are ms of virtual time; those of day count from the trace's begin. */
export interface RequestRecord {
  /** Position in the trace. */
  index: number;
  arrivalMs: number;
  promptTokens: number;
  /** Generated; fewer than the trace says when prompt and output exceed a worker's KV. */
  outputTokens: number;
  /** From arrival to the first token; undefined when there was none. */
  ttftMs: number | undefined;
  /** Mean time between tokens; undefined with fewer than two. */
  meanTbtMs: number | undefined;
  /** Mean of the longest tenth of the times between tokens, as in Mooncake's FAST'25 paper. */
  tailTbtMs: number | undefined;
  finishedAtMs: number | undefined;
  /** Code of the refusal or failure; undefined when it was served. */
  refused: string | undefined;
  /** Wait in the conductor. */
  waitedMs: number;
  /** Blocks of the prompt that the prefill worker had, or had pulled, when its turn came. */
  reusedBlocks: number;
  /** Of these those that came from another worker for this request. */
  pulledBlocks: number;
  /** Prompt tokens that were computed. */
  computedTokens: number;
  /** Over links, for this request: pulled prefix and handover. */
  movedBytes: number;
  /** Undefined when it was never planned. */
  prefillWorker: string | undefined;
  /** The same as `prefillWorker` when one worker did both. */
  decodeWorker: string | undefined;
}
