/** Type of an attribute's value; lists are of strings. */
export type AttributeType = 'string' | 'int' | 'double' | 'boolean' | 'string[]';

export interface AttributeDefinition {
  /** As exported. */
  name: string;
  type: AttributeType;
  doc: string;
}

const attribute = <const N extends string>(name: N, type: AttributeType, doc: string) => ({
  name,
  type,
  doc,
});

/** Every attribute that Baton sets. Values are bounded: ids, names from configuration, numbers; never prompts. */
export const attributeDefinitions = {
  operation: attribute('gen_ai.operation.name', 'string', '`chat` or `text_completion`.'),
  provider: attribute('gen_ai.provider.name', 'string', 'Always `baton`.'),
  requestModel: attribute('gen_ai.request.model', 'string', 'Model that the client asked for.'),
  responseModel: attribute('gen_ai.response.model', 'string', 'Model that answered.'),
  responseId: attribute('gen_ai.response.id', 'string', 'Id of the answer.'),
  finishReasons: attribute('gen_ai.response.finish_reasons', 'string[]', 'Why each choice ended.'),
  requestStream: attribute('gen_ai.request.stream', 'boolean', 'Whether the client asked for SSE.'),
  requestMaxTokens: attribute('gen_ai.request.max_tokens', 'int', 'Most output tokens asked for.'),
  requestTemperature: attribute('gen_ai.request.temperature', 'double', 'Sampling temperature.'),
  requestTopP: attribute('gen_ai.request.top_p', 'double', 'Nucleus of the sampling.'),
  requestTopK: attribute('gen_ai.request.top_k', 'int', 'Candidates kept by the sampling.'),
  requestSeed: attribute('gen_ai.request.seed', 'int', 'Seed of the sampling.'),
  inputTokens: attribute('gen_ai.usage.input_tokens', 'int', 'Prompt tokens.'),
  outputTokens: attribute('gen_ai.usage.output_tokens', 'int', 'Output tokens.'),
  cachedInputTokens: attribute(
    'gen_ai.usage.cache_read.input_tokens',
    'int',
    'Prompt tokens that no engine computed for this request.',
  ),
  timeToFirstChunk: attribute(
    'gen_ai.response.time_to_first_chunk',
    'double',
    'From the request to the first token, seconds.',
  ),
  httpStatus: attribute('http.response.status_code', 'int', 'Status of the answer.'),
  errorType: attribute('error.type', 'string', "Code of Baton's error registry, or the class."),
  requestId: attribute('baton.request.id', 'string', 'The `x-request-id` of the request.'),
  outcome: attribute('baton.outcome', 'string', '`finished`, `aborted` or `failed`.'),
  planId: attribute('baton.plan.id', 'string', 'Plan that the work belongs to.'),
  planMode: attribute('baton.plan.mode', 'string', '`aggregated` or `disaggregated`.'),
  matchedTokens: attribute('baton.matched_tokens', 'int', 'Longest useful cached prefix, tokens.'),
  candidates: attribute('baton.candidates', 'int', 'Pairs of workers that were weighed.'),
  predictedTtftMs: attribute('baton.predicted_ttft_ms', 'double', 'Predicted time to first token.'),
  worker: attribute('baton.worker', 'string', 'Worker that does the work.'),
  prefillWorker: attribute('baton.prefill_worker', 'string', 'Worker of the prefill leg.'),
  decodeWorker: attribute('baton.decode_worker', 'string', 'Worker of the decode leg.'),
  sourceWorker: attribute('baton.source_worker', 'string', 'Worker that KV comes from.'),
  destinationWorker: attribute('baton.destination_worker', 'string', 'Worker that pulls KV.'),
  tier: attribute('baton.tier', 'string', '`hbm`, `host`, `dram`, `ssd` or `storage`.'),
  transferId: attribute('baton.transfer.id', 'string', 'Id of the transfer order.'),
  transferReason: attribute(
    'baton.transfer.reason',
    'string',
    '`prefix`, `handover`, `replicate`, `promote` or `migrate`.',
  ),
  transferStatus: attribute(
    'baton.transfer.status',
    'string',
    '`done`, `partial`, `failed` or `cancelled`.',
  ),
  backend: attribute('baton.backend', 'string', 'Transfer engine, e.g. `tcp`.'),
  bytes: attribute('baton.bytes', 'int', 'Payload bytes that moved.'),
  segments: attribute('baton.segments', 'int', 'Whole segments that moved.'),
  transferredSegments: attribute(
    'baton.transferred_segments',
    'int',
    'Of the segments, what a transfer of this plan brought.',
  ),
  bytesPerSec: attribute('baton.bytes_per_sec', 'double', 'Rate while bytes were moving.'),
  reusedTokens: attribute(
    'baton.reused_tokens',
    'int',
    'Prompt tokens from a cache of the worker.',
  ),
  transferredTokens: attribute(
    'baton.transferred_tokens',
    'int',
    'Prompt tokens whose KV a transfer of this plan brought.',
  ),
  computedTokens: attribute('baton.computed_tokens', 'int', 'Prompt tokens computed here.'),
  legRetry: attribute('baton.leg.retry', 'int', 'How often this leg was tried before.'),
  resyncCause: attribute(
    'baton.resync.cause',
    'string',
    '`joined`, `gap`, `mismatch`, `overflow`, `failed` or `evicted`.',
  ),
  leftOutReason: attribute(
    'baton.request_log.reason',
    'string',
    '`not_planned`, `block_size`, `size_limit` or `disk`.',
  ),
} as const satisfies Record<string, AttributeDefinition>;

type Definitions = typeof attributeDefinitions;
export type AttributeKey = keyof Definitions;

/** Names as exported, e.g. `attributes.planId` is `baton.plan.id`. */
export const attributes = Object.fromEntries(
  Object.entries(attributeDefinitions).map(([key, definition]) => [key, definition.name]),
) as { readonly [K in AttributeKey]: Definitions[K]['name'] };

export interface SpanDefinition {
  name: string;
  /** Process that starts it. */
  process: string;
  kind: 'server' | 'client' | 'internal';
  doc: string;
  attributes: readonly AttributeKey[];
}

const legAttributes = [
  'planId',
  'worker',
  'reusedTokens',
  'transferredTokens',
  'computedTokens',
  'legRetry',
  'errorType',
] as const;

/** Every span of Baton, in the order of a request's path. */
export const spanDefinitions = {
  gatewayRequest: {
    name: '{gen_ai.operation.name} {gen_ai.request.model}',
    process: 'gateway',
    kind: 'server',
    doc: 'One request of a client, from its arrival to the last byte of the answer.',
    attributes: [
      'operation',
      'provider',
      'requestModel',
      'responseModel',
      'responseId',
      'finishReasons',
      'requestStream',
      'requestMaxTokens',
      'requestTemperature',
      'requestTopP',
      'requestTopK',
      'requestSeed',
      'inputTokens',
      'outputTokens',
      'cachedInputTokens',
      'timeToFirstChunk',
      'httpStatus',
      'errorType',
      'requestId',
      'outcome',
      'planId',
      'planMode',
      'prefillWorker',
      'decodeWorker',
    ],
  },
  tokenize: {
    name: 'tokenize',
    process: 'gateway',
    kind: 'client',
    doc: 'Rendering of the chat template and tokenizing.',
    attributes: ['inputTokens', 'worker', 'errorType'],
  },
  plan: {
    name: 'plan',
    process: 'conductor',
    kind: 'server',
    doc: 'The decision: match, candidates, bookings. Transfers that it orders are its children.',
    attributes: [
      'requestId',
      'planId',
      'planMode',
      'matchedTokens',
      'candidates',
      'predictedTtftMs',
      'prefillWorker',
      'decodeWorker',
      'errorType',
    ],
  },
  legPrefill: {
    name: 'leg.prefill',
    process: 'gateway',
    kind: 'client',
    doc: 'The prefill leg, from sending it until its first token.',
    attributes: legAttributes,
  },
  legDecode: {
    name: 'leg.decode',
    process: 'gateway',
    kind: 'client',
    doc: 'The decode leg, from sending it until its last token.',
    attributes: [...legAttributes, 'outputTokens'],
  },
  legAggregated: {
    name: 'leg.aggregated',
    process: 'gateway',
    kind: 'client',
    doc: 'The only leg of an aggregated plan.',
    attributes: [...legAttributes, 'outputTokens'],
  },
  kvHandover: {
    name: 'kv.handover',
    process: 'gateway',
    kind: 'internal',
    doc: 'A handover that engines carry out themselves: from asking decode until its first token, with what decode computes before that. Of a turn that prefill reads from a decode worker: from asking prefill until it has computed the prompt.',
    attributes: [
      'planId',
      'sourceWorker',
      'destinationWorker',
      'backend',
      'inputTokens',
      'transferredTokens',
      'errorType',
    ],
  },
  kvTransfer: {
    name: 'kv.transfer',
    process: 'agent',
    kind: 'internal',
    doc: 'One transfer on the agent that pulls, from the order to its final status.',
    attributes: [
      'transferId',
      'transferReason',
      'transferStatus',
      'planId',
      'sourceWorker',
      'destinationWorker',
      'tier',
      'bytes',
      'segments',
      'backend',
      'bytesPerSec',
      'errorType',
    ],
  },
  kvLoad: {
    name: 'kv.load',
    process: 'agent',
    kind: 'internal',
    doc: 'What an engine loads from the arena for one leg: from its question until the last page is copied, with the wait for a transfer. Of engines that have no spans of their own.',
    attributes: [
      'planId',
      'worker',
      'tier',
      'bytes',
      'segments',
      'transferredSegments',
      'errorType',
    ],
  },
  enginePrefill: {
    name: 'engine.prefill',
    process: 'engine',
    kind: 'server',
    doc: 'Prompt of one leg: loading what caches hold, computing the rest.',
    attributes: [
      'planId',
      'worker',
      'inputTokens',
      'reusedTokens',
      'transferredTokens',
      'computedTokens',
      'outputTokens',
      'errorType',
    ],
  },
  engineDecode: {
    name: 'engine.decode',
    process: 'engine',
    kind: 'server',
    doc: 'Output of one leg to its last token; of a decode leg, from its arrival on, with what its prompt came from.',
    attributes: [
      'planId',
      'worker',
      'inputTokens',
      'reusedTokens',
      'transferredTokens',
      'computedTokens',
      'outputTokens',
      'finishReasons',
      'errorType',
    ],
  },
} as const satisfies Record<string, SpanDefinition>;

type Spans = typeof spanDefinitions;

/** Names of spans, except the request's own, which {@link requestSpanName} makes. */
export const spans = Object.fromEntries(
  Object.entries(spanDefinitions).map(([key, definition]) => [key, definition.name]),
) as { readonly [K in Exclude<keyof Spans, 'gatewayRequest'>]: Spans[K]['name'] };

/** Name of the gateway's root span as the GenAI conventions want it, e.g. `chat smollm2`. */
export function requestSpanName(operation: 'chat' | 'text_completion', model: string): string {
  return `${operation} ${model}`;
}
