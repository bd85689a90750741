import type { FastifyInstance } from 'fastify';
import { EngineError } from '../http/engine-error.ts';

interface Completion {
  choices?: { text: string; finish_reason: string }[];
  usage?: { prompt_tokens: number; completion_tokens: number };
}

/**
 * `POST /generate` with `input_ids`, not as a stream: a completion in SGLang's own form, with the rank that gave it
 * (python/sglang/srt/managers/tokenizer_manager.py at 30cb848d4).
 *
 * @param rankOf the data-parallel rank that takes a request
 */
export function addGenerateRoute(
  server: FastifyInstance,
  model: string,
  rankOf: (body: unknown) => number,
): void {
  server.post('/generate', async (request, reply) => {
    const body: Record<string, unknown> = Object(request.body);
    const { input_ids: prompt, sampling_params: sampling, ...others } = body;
    if (!Array.isArray(prompt) || body['stream'] === true) {
      throw new EngineError(400, 'The stand-in takes input_ids, and no stream.');
    }
    const { max_new_tokens: maxTokens = 128 }: Record<string, unknown> = Object(sampling);
    const rank = rankOf(body);
    const answer = await server.inject({
      ...{ method: 'POST', url: '/v1/completions' },
      payload: { ...others, model, prompt, max_tokens: maxTokens, dispatched_dp_rank: rank },
    });
    if (answer.statusCode !== 200) return reply.code(answer.statusCode).send(answer.json());
    const { choices: [choice] = [], usage } = answer.json<Completion>();
    return {
      text: choice?.text,
      meta_info: {
        finish_reason: { type: choice?.finish_reason },
        prompt_tokens: usage?.prompt_tokens,
        completion_tokens: usage?.completion_tokens,
        dp_rank: rank,
      },
    };
  });
}
