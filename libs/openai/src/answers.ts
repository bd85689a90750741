import type { Usage } from './usage.ts';

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter';

/** Log probability of one token in a chat answer. */
export interface ChatTokenLogprob {
  token: string;
  logprob: number;
  bytes: number[] | null;
  top_logprobs: { token: string; logprob: number; bytes: number[] | null }[];
}

export interface ChatLogprobs {
  content: ChatTokenLogprob[] | null;
}

export interface CompletionLogprobs {
  tokens: string[];
  token_logprobs: (number | null)[];
  top_logprobs: (Record<string, number> | null)[] | null;
  /** Of each token in the text, characters. */
  text_offset: number[];
}

/** Fields of every choice, vLLM's `token_ids` and `stop_reason` among them. */
interface ChoiceBase {
  index: number;
  token_ids?: number[] | null;
  stop_reason?: string | number | null;
}

export interface CompletionChoice extends ChoiceBase {
  text: string;
  finish_reason: FinishReason | null;
  logprobs?: CompletionLogprobs | null;
}

interface AnswerBase {
  id: string;
  /** Unix time, seconds. */
  created: number;
  model: string;
  usage?: Usage | null;
}

/** A chunk of a streamed completion has the same shape. */
export interface CompletionAnswer extends AnswerBase {
  object: 'text_completion';
  choices: CompletionChoice[];
}

export interface ModelEntry {
  id: string;
  object: 'model';
  created: number;
  owned_by: string;
  max_model_len: number;
  /** Of an adapter, the model that it is of. */
  parent?: string;
}
