import type { Adapter } from '@baton/kv';
import { asObject, countAt } from '../json-fields.ts';

/** A model as `GET /v1/models` lists it. */
export interface ServedModel {
  id: string;
  /** Name of the weights. */
  root: string;
  /** Prompt and output together; 0 where the engine does not say. */
  maxModelTokens: number;
}

/** Where one rank publishes its KV events, in the words of the engine's own configuration. */
export interface PublishedEvents {
  endpoint: string;
  /** Empty where nothing can be replayed. */
  replayEndpoint: string;
  topic: string;
}

/** Of one engine; more are not served. */
const MAX_ADAPTERS = 1_024;
/** Of names and paths; adapters with longer ones are not served. */
const MAX_ADAPTER_CHARS = 512;

/** The base models, without adapters; undefined when the answer is none of `/v1/models`. */
export function readModels(answer: unknown): ServedModel[] | undefined {
  const data = asObject(answer)?.['data'];
  if (!Array.isArray(data)) return undefined;
  const models: ServedModel[] = [];
  for (const entry of data) {
    const model = asObject(entry);
    const id = model?.['id'];
    if (typeof id !== 'string' || id === '') return undefined;
    if (typeof model?.['parent'] === 'string') continue;
    const root = model?.['root'];
    const maxModelTokens = countAt(model, 'max_model_len') ?? 0;
    models.push({ id, root: typeof root === 'string' ? root : id, maxModelTokens });
  }
  return models;
}

/** The adapters among them, in the engine's order; undefined when the answer is none of `/v1/models`. */
export function readAdapters(answer: unknown): Adapter[] | undefined {
  const data = asObject(answer)?.['data'];
  if (!Array.isArray(data)) return undefined;
  const adapters = data.flatMap((entry) => {
    const { id: name, root, parent } = asObject(entry) ?? {};
    if (typeof name !== 'string' || name === '' || typeof parent !== 'string') return [];
    const revision = typeof root === 'string' ? root : '';
    const fits = Math.max(name.length, revision.length) <= MAX_ADAPTER_CHARS;
    return fits ? [{ name, revision }] : [];
  });
  return adapters.slice(0, MAX_ADAPTERS);
}

export function readVersion(answer: unknown): string | undefined {
  const version = asObject(answer)?.['version'];
  return typeof version === 'string' && version !== '' ? version : undefined;
}

/**
 * From vLLM's `GET /kv_event_sources`: one for each rank, by its number. Empty when the engine publishes no events, or
 * not by ZMQ; undefined when the answer is no such answer.
 */
export function readEventSources(answer: unknown): PublishedEvents[] | undefined {
  const ranks = asObject(answer);
  if (ranks === undefined) return undefined;
  const sources: PublishedEvents[] = [];
  for (let rank = 0; rank < Object.keys(ranks).length; rank += 1) {
    const source = asObject(ranks[rank]);
    if (source === undefined) return undefined;
    if (source['enable_kv_cache_events'] !== true || source['publisher'] !== 'zmq') return [];
    const { endpoint, replay_endpoint: replay, topic } = source;
    if (typeof endpoint !== 'string') return undefined;
    sources.push({
      endpoint,
      replayEndpoint: typeof replay === 'string' ? replay : '',
      topic: typeof topic === 'string' ? topic : '',
    });
  }
  return sources;
}
