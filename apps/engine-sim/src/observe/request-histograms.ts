import { Histogram } from './metric-families.ts';

const FIRST_TOKEN = [
  0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80,
  160, 640, 2560,
];
const STEP = [
  0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80,
];
const LATENCY = [
  0.3, 0.5, 0.8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480, 960, 1920, 7680,
];
const ITERATION = [1, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384];
const PREEMPTIONS = [1, 2, 3, 4, 5, 10, 20];
const N = [1, 2, 5, 10, 20];

/** vLLM's bounds for counts of tokens: 1, 2, 5, 10, … up to its window. */
function tokenBounds(window: number): number[] {
  const bounds: number[] = [];
  for (let power = 1; power <= window; power *= 10) {
    bounds.push(...[power, 2 * power, 5 * power].filter((bound) => bound <= window));
  }
  return bounds;
}

export function makeHistograms(window: number) {
  const histogram = (name: string, help: string, bounds: readonly number[]): Histogram =>
    new Histogram(`vllm:${name}`, help, bounds);
  const tokens = tokenBounds(window);
  return {
    promptTokens: histogram('request_prompt_tokens', 'Prompt tokens of a request.', tokens),
    generationTokens: histogram('request_generation_tokens', 'Its output tokens.', tokens),
    iterationTokens: histogram('iteration_tokens_total', 'Tokens of one step.', ITERATION),
    maxGenerationTokens: histogram(
      'request_max_num_generation_tokens',
      'Most output tokens of its answers.',
      tokens,
    ),
    params: {
      n: histogram('request_params_n', 'Answers that a request asks for.', N),
      maxTokens: histogram('request_params_max_tokens', 'Output tokens that it allows.', tokens),
    },
    firstToken: histogram('time_to_first_token_seconds', 'Until the first token.', FIRST_TOKEN),
    betweenTokens: histogram('inter_token_latency_seconds', 'Between two tokens.', STEP),
    perOutputToken: histogram(
      'request_time_per_output_token_seconds',
      'A token, on average of a request.',
      STEP,
    ),
    e2e: histogram('e2e_request_latency_seconds', 'From arrival to the end.', LATENCY),
    queue: histogram('request_queue_time_seconds', 'Until it was scheduled.', LATENCY),
    inference: histogram('request_inference_time_seconds', 'From there to the end.', LATENCY),
    prefill: histogram('request_prefill_time_seconds', 'Until the first token.', LATENCY),
    decode: histogram('request_decode_time_seconds', 'From the first token to the last.', LATENCY),
    preemptions: histogram('request_num_preemptions', 'Times that it started over.', PREEMPTIONS),
    computed: histogram('request_prefill_kv_computed_tokens', 'Prompt tokens computed.', tokens),
  };
}
