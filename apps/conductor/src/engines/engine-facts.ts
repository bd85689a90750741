import { hash } from 'node:crypto';
import type { WorkerFacts } from '@baton/cluster';
import type { ProbedEngine } from '@baton/engine-clients';
import { BatonError } from '@baton/kv';
import type { EngineSetting } from '../config.ts';

/** Segments are at least so long; engines with small blocks have several in one. */
const LEAST_SEGMENT_TOKENS = 64;
/** vLLM's default where its metrics do not say. */
const DEFAULT_BLOCK_TOKENS = 16;
/** Taken for an engine that does not say how much it can keep: room for what it may run at once. */
const UNKNOWN_CAPACITY_REQUESTS = 8;
const DEFAULT_KV_BYTES_PER_TOKEN = 131_072;
/** vLLM's default of --max-num-seqs on a GPU; no endpoint of it says what it is. */
const DEFAULT_MAX_SEQUENCES = 256;
const MAX_WORKER_ID_CHARS = 64;
/** What tells names apart that are too long. */
const ID_DIGEST_CHARS = 8;

/** @throws BatonError config_invalid for an engine that is given as one side of pairs and was started as the other */
export function requireSide({ side }: ProbedEngine, { url, role }: EngineSetting): void {
  if (side === undefined || role === 'both' || role === side) return;
  const message = `the engine at ${url} was started with --disaggregation-mode ${side}; give it as --${side}, not as --${role}`;
  throw new BatonError('config_invalid', message);
}

/** The id of an engine that was given none: its host and port, such as `10-0-0-1-8000` or `fd00-0-7-8000`. */
export function workerIdOf({ url, workerId }: EngineSetting): string {
  if (workerId !== undefined) return workerId;
  const { host, pathname } = new URL(url);
  // In an IPv6 address the zeros that are left out tell it from others.
  const place = host.startsWith('[') ? host.replace('::', ':0:') : host;
  const name = `${place}${pathname}`.replace(/[^A-Za-z0-9]+/g, '-').replace(/^-|-$/g, '');
  if (name.length > 0 && name.length <= MAX_WORKER_ID_CHARS) return name;
  const digest = hash('sha256', url, 'hex').slice(0, ID_DIGEST_CHARS);
  return `${name.slice(0, MAX_WORKER_ID_CHARS - 1 - ID_DIGEST_CHARS)}-${digest}`;
}

/**
 * What a running engine is to the planner. What no endpoint tells is taken from the settings, or for what it usually is.
 *
 * @param isHeard whether its KV events are followed
 */
export function engineFacts(
  probed: ProbedEngine,
  setting: EngineSetting,
  isHeard: boolean,
): WorkerFacts {
  const { metrics, model, version, engine, tokenization, connector, meetingPoint, side } = probed;
  const blockTokens = metrics?.cache?.blockTokens ?? DEFAULT_BLOCK_TOKENS;
  const segmentTokens = blockTokens * Math.ceil(LEAST_SEGMENT_TOKENS / blockTokens);
  const bytesPerToken = setting.kvBytesPerToken ?? DEFAULT_KV_BYTES_PER_TOKEN;
  const maxModelTokens = probed.maxModelTokens;
  const unknownCapacity = Math.ceil((UNKNOWN_CAPACITY_REQUESTS * maxModelTokens) / blockTokens);
  return {
    workerId: workerIdOf(setting),
    role: side ?? setting.role,
    model: model.id,
    engine,
    engineUrl: setting.url,
    transferAddress: '',
    layout: {
      modelRevision: model.root,
      dtype: probed.dtype,
      layers: 0,
      ranks: 1,
      blockTokens,
      connector,
      connectorVersion: version,
      bytesPerToken,
      segmentBytes: bytesPerToken * segmentTokens,
    },
    tokenization,
    segmentTokens,
    maxModelTokens,
    kvCapacityBlocks: metrics?.cache?.blocks || unknownCapacity,
    maxSequences: setting.maxSequences ?? probed.maxSequences ?? DEFAULT_MAX_SEQUENCES,
    capabilities: {
      pullPrefix: false,
      exportPrefix: false,
      overlapHandover: false,
      firstTokenFromPrefill: false,
      takeSalt: true,
      takeTokens: true,
      release: false,
      migrate: false,
      callTools: true,
    },
    dramCapacitySegments: 0,
    meetingPoint,
    pairOnly: side !== undefined,
    // One that caches no prefixes holds nothing, which is known.
    approximate: !isHeard && metrics?.cache?.prefixCaching !== false,
  };
}
