import type { InferenceClient } from '../generation/inference-client.ts';
import type { RunContext } from '../generation/request-run.ts';
import type { CacheEvents } from '../kv-events/cache-events.ts';
import type { TokenPieces } from '@baton/output-text';
import type { Tokenizer } from '../tokenizer/tokenizer.ts';

/** What the routes need of the rest of the engine. */
export interface FrontContext {
  /** The name that clients use. */
  modelName: string;
  maxModelTokens: number;
  segmentTokens: number;
  vocabSize: number;
  tokenization: string;
  tokenizer: Tokenizer;
  pieces: TokenPieces;
  inference: InferenceClient;
  cacheEvents: CacheEvents;
  runs: RunContext;
  /** Wall clock, ms. */
  now: () => number;
}
