import { KEY_BYTES } from '@baton/kv';
import type { ErrorCode } from '@baton/kv';
import type { GenerationRequest } from './inference-port.ts';

export interface RequestLimits {
  vocabSize: number;
  segmentTokens: number;
  maxModelTokens: number;
}

export interface RequestFault {
  code: ErrorCode;
  message: string;
}

/** Why a request cannot be run at all; libllama ends the process or fails a whole batch for what passes here wrongly. */
export function requestFault(
  request: GenerationRequest,
  limits: RequestLimits,
): RequestFault | undefined {
  const { promptTokens, resumeTokens, maxOutputTokens } = request;
  const invalid = (message: string): RequestFault => ({ code: 'invalid_request', message });
  if (promptTokens.length === 0) return invalid('promptTokens: the prompt is empty');
  if (!Number.isInteger(maxOutputTokens) || maxOutputTokens < 1) {
    return invalid('maxOutputTokens: must be at least 1');
  }
  const total = promptTokens.length + Math.max(maxOutputTokens, resumeTokens.length);
  if (total > limits.maxModelTokens) {
    return {
      code: 'context_length_exceeded',
      message: `Prompt and output have ${total} tokens, the model's context ${limits.maxModelTokens}.`,
    };
  }
  const isKnown = (token: number): boolean => token >= 0 && token < limits.vocabSize;
  const unknown = [promptTokens, resumeTokens].flatMap(
    (tokens) => tokens.find((t) => !isKnown(t)) ?? [],
  );
  if (unknown.length > 0) return invalid(`promptTokens: the model has no token ${unknown[0]}`);
  const segments = Math.floor(promptTokens.length / limits.segmentTokens);
  if (request.segmentKeys.length !== segments * KEY_BYTES) {
    return invalid(`segmentKeys: ${segments} keys are needed`);
  }
  if (request.rootKey.length !== KEY_BYTES) return invalid('rootKey: has the wrong length');
  return samplingFault(request, invalid);
}

function samplingFault(
  { sampling }: GenerationRequest,
  invalid: (message: string) => RequestFault,
): RequestFault | undefined {
  const { temperature, topP, topK, minP, seed, presencePenalty, frequencyPenalty } = sampling;
  const checks: [string, boolean][] = [
    ['temperature', temperature >= 0 && Number.isFinite(temperature)],
    ['topP', topP > 0 && topP <= 1],
    ['topK', Number.isInteger(topK) && topK >= 0],
    ['minP', minP >= 0 && minP <= 1],
    ['seed', Number.isInteger(seed)],
    ['presencePenalty', Number.isFinite(presencePenalty)],
    ['frequencyPenalty', Number.isFinite(frequencyPenalty)],
    ['topLogprobs', Number.isInteger(sampling.topLogprobs)],
  ];
  const wrong = checks.find(([, holds]) => !holds);
  return wrong && invalid(`sampling.${wrong[0]}: is out of range`);
}
