/**
 * @module OpenAI's HTTP API as data: requests in, answers and errors out.
 *
 * A request body is checked against OpenAI's fields and handed on as the very object that came in, so that fields which
 * only an engine knows pass through. Error bodies come from the one registry of `@baton/kv`. The SSE decoder takes bytes
 * split anywhere and costs one pass over the text.
 */
export {
  checkBody,
  checkChatRequest,
  checkCompletionRequest,
  type ChatRequest,
  type Checked,
  type CompletionRequest,
  type PromptInput,
} from './check-request.ts';
export { MAX_TOKEN_ID } from './request-schemas.ts';
export { errorBody, errorStatus, fieldError, readErrorBody, type ErrorBody } from './error-body.ts';
export { frameworkFault } from './framework-fault.ts';
export { DONE, SSE_CONTENT_TYPE, encodeEvent } from './sse-encode.ts';
export { SseDecoder } from './sse-decoder.ts';
export { makeUsage, type Usage } from './usage.ts';
export { readTokenizeAnswer, type TokenizeAnswer } from './tokenize.ts';
export type {
  ChatLogprobs,
  ChatTokenLogprob,
  CompletionAnswer,
  CompletionChoice,
  CompletionLogprobs,
  FinishReason,
  ModelEntry,
} from './answers.ts';
