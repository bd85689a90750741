/** What a batch of running sequences is to a decode step. */
export interface DecodeBatch {
  sequences: number;
  /** Tokens whose KV a step reads, of all sequences together. */
  kvTokens: number;
  /** Tokens for which the worker has room. */
  kvCapacityTokens: number;
}

/** How long the engine of a simulated worker takes. Pure functions of their arguments. */
export interface EngineCost {
  readonly name: string;
  /** Bytes of KV of one token. */
  readonly kvBytesPerToken: number;
  /** Computing prompt tokens after `contextTokens` whose KV is there, ms. */
  prefillMs(newTokens: number, contextTokens: number): number;
  /** One token for each sequence of the batch, ms. */
  decodeStepMs(batch: DecodeBatch): number;
}
