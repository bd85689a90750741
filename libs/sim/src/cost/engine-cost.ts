/** What a batch of running sequences is to a decode step. */
export interface DecodeBatch {
  sequences: number;
  /** Tokens whose KV a step reads, of all sequences together. */
  kvTokens: number;
  /** Tokens for which the worker has room. */
  kvCapacityTokens: number;
}

/** A part of one prompt that a step computes. */
export interface PromptPiece {
  newTokens: number;
  /** Tokens before it whose KV is there. */
  contextTokens: number;
  /** With it the prompt begins to be computed. */
  isFirst: boolean;
}

/** How long the engine of a simulated worker takes. Pure functions of their arguments. */
export interface EngineCost {
  readonly name: string;
  /** Bytes of KV of one token. */
  readonly kvBytesPerToken: number;
  /** New prompt tokens that one step computes at most, unless a simulation says otherwise. */
  readonly chunkTokens: number;
  /** Whether a prompt that waits for a pulled prefix holds up those that came after it. */
  readonly strictOrder?: boolean;
  /** Who gives a request's first token when prefill and decode run on two workers. */
  readonly firstToken: 'prefill' | 'decode';
  /** Computing prompt tokens after `contextTokens` whose KV is there, ms. */
  prefillMs(newTokens: number, contextTokens: number): number;
  /** Computing pieces of several prompts in one step, ms. */
  prefillStepMs(pieces: readonly PromptPiece[]): number;
  /** One token for each sequence of the batch, ms. */
  decodeStepMs(batch: DecodeBatch): number;
}
