import type { AnswerFacts, AnswerFormat, Delta } from '../http/answer-format.ts';

/**
 * Answers with the fields of SGLang's (python/sglang/srt/entrypoints/openai/protocol.py, serving_completions.py and
 * serving_chat.py at 30cb848d4): not held against a real one.
 */
export function sglangFormatOf(facts: AnswerFacts): AnswerFormat {
  return facts.call.api === 'chat' ? chatFormat(facts) : completionFormat(facts);
}

const METADATA = { metadata: { weight_version: 'default' } };

function completionFormat(facts: AnswerFacts): AnswerFormat {
  const base = baseOf(facts, 'text_completion');
  const choiceOf = ({ text, finish }: Delta): object => ({
    ...{ index: 0, text, logprobs: null },
    ...endOf(finish),
  });
  return {
    whole: (output) => ({
      ...base,
      choices: [choiceOf(output)],
      usage: usageOf(facts, output.tokens.length),
      ...METADATA,
    }),
    chunks: (delta) => [{ ...base, choices: [choiceOf(delta)], usage: null }],
    usageChunk: (outputTokens) => ({ ...base, choices: [], usage: usageOf(facts, outputTokens) }),
  };
}

function chatFormat(facts: AnswerFacts): AnswerFormat {
  const base = baseOf(facts, 'chat.completion.chunk');
  let isOpened = false;
  const chunkOf = (delta: object, finish: Delta['finish']): object => ({
    ...base,
    choices: [
      { index: 0, delta: { reasoning_content: null, ...delta }, logprobs: null, ...endOf(finish) },
    ],
  });
  return {
    whole: ({ text, tokens, finish }) => ({
      ...baseOf(facts, 'chat.completion'),
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: text, reasoning_content: null, tool_calls: null },
          logprobs: null,
          ...endOf(finish),
        },
      ],
      usage: usageOf(facts, tokens.length),
      ...METADATA,
    }),
    chunks: ({ text, finish }) => {
      const chunks = isOpened ? [] : [chunkOf({ role: 'assistant', content: '' }, undefined)];
      isOpened = true;
      if (text !== '') chunks.push(chunkOf({ content: text }, undefined));
      // Its end is a chunk of its own.
      if (finish !== undefined) chunks.push(chunkOf({}, finish));
      return chunks;
    },
    usageChunk: (outputTokens) => ({ ...base, choices: [], usage: usageOf(facts, outputTokens) }),
  };
}

function baseOf({ call, createdSec }: AnswerFacts, object: string): object {
  return { id: call.id, object, created: createdSec, model: call.model };
}

function endOf(finish: Delta['finish']): object {
  return { finish_reason: finish?.reason ?? null, matched_stop: finish?.stop ?? null };
}

/** Nothing is said where nothing was cached (openai/usage_processor.py). */
function usageOf({ call, cachedTokens }: AnswerFacts, outputTokens: number): object {
  const promptTokens = call.request.promptTokens.length;
  const cached = cachedTokens() ?? 0;
  return {
    prompt_tokens: promptTokens,
    total_tokens: promptTokens + outputTokens,
    completion_tokens: outputTokens,
    prompt_tokens_details: cached > 0 ? { cached_tokens: cached } : null,
    reasoning_tokens: 0,
  };
}
