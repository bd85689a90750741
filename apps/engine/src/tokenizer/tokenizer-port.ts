/** What the engine's front and its tokenizer thread say to each other; plain structured-cloneable data. */

export interface ChatMessage {
  role: string;
  /** Parts are joined before they come here. */
  content: string | null;
  [field: string]: unknown;
}

export interface ChatRender {
  messages: ChatMessage[];
  addGenerationPrompt: boolean;
  /** Further variables of the template. */
  variables: Record<string, unknown>;
}

export type TokenizerJob =
  | { type: 'text'; text: string; addSpecial: boolean }
  | { type: 'chat'; render: ChatRender; addSpecial: boolean }
  | { type: 'detokenize'; tokens: Int32Array };

export interface TokenizerRequest {
  id: number;
  job: TokenizerJob;
}

export type TokenizerReply =
  | { type: 'ready'; facts: TokenizerFacts }
  | { type: 'tokens'; id: number; tokens: Int32Array }
  | { type: 'text'; id: number; text: string }
  /** `code` of the error registry; `field` of the request that is to blame. */
  | { type: 'refused'; id: number; code: string; message: string; field: string | undefined }
  /** The thread cannot start: one sentence. */
  | { type: 'unusable'; code: string; message: string };

/** All pieces of a vocabulary in one buffer, so that text of tokens needs no thread. */
export interface PackedPieces {
  bytes: Uint8Array;
  /** Start of each token's bytes, and the end of the last one. */
  offsets: Uint32Array;
  /** 1 for control tokens. */
  special: Uint8Array;
}

export interface TokenizerFacts {
  /** Identity of tokenizer and chat template, hex; part of every root key. */
  tokenization: string;
  vocabSize: number;
  pieces: PackedPieces;
}
