import { EventDecoder, type EventDialect } from '@baton/engine-protocols';
import { BatonError } from '@baton/kv';
import { refusal } from '../wire/refusal.ts';
import { quoted } from '../wire/request-body.ts';
import { Context, type ContextLimits, type PublisherPorts } from './context.ts';
import type { EndpointField } from './endpoint.ts';
import type { OpenEventFeed } from './event-feed.ts';
import { profileEntries, type HashProfile } from './hash-profile.ts';
import type { Publisher } from './publisher.ts';
import type { QueryScope } from './query-request.ts';
import {
  describedFields,
  publisherText,
  type PublisherName,
  type RegistrationRequest,
} from './registration-request.ts';

export interface RegistryLimits extends ContextLimits {
  maxContexts: number;
  maxPublishers: number;
}

/** Who is registered, and the contexts that follow from it. */
export class Registry {
  readonly #limits: RegistryLimits;
  readonly #ports: PublisherPorts;
  readonly #contexts = new Map<string, Context>();
  readonly #publishers = new Map<string, Publisher>();
  readonly #byEndpoint = new Map<string, Publisher>();

  constructor(limits: RegistryLimits, openFeed: OpenEventFeed) {
    this.#limits = limits;
    this.#ports = { decoders: sharedDecoders(), openFeed };
  }

  get contexts(): Context[] {
    return [...this.#contexts.values()];
  }

  get publishers(): Publisher[] {
    return [...this.#publishers.values()];
  }

  /**
   * Follows a publisher; the same one once more changes nothing.
   *
   * @throws BatonError of a refusal: a contradiction to what is registered, a limit, an endpoint that cannot be used
   */
  register(request: RegistrationRequest): void {
    const name = publisherKey(request);
    const known = this.#publishers.get(name);
    if (known !== undefined) return checkSame(known.request, request);
    this.#checkNew(request);
    const key = contextKey(request);
    const context = this.#contexts.get(key) ?? this.#newContext(request);
    const publisher = this.#follow(context, request);
    this.#contexts.set(key, context);
    this.#publishers.set(name, publisher);
    this.#byEndpoint.set(request.endpoint, publisher);
  }

  /** Publishers of an instance, all ranks when none is named. */
  publishersOf(name: Omit<PublisherName, 'dpRank'> & { dpRank: number | undefined }): Publisher[] {
    return this.publishers.filter(
      ({ request: { instanceId, tenantId, dpRank } }) =>
        instanceId === name.instanceId &&
        tenantId === name.tenantId &&
        (name.dpRank === undefined || name.dpRank === dpRank),
    );
  }

  /** What it had is found by nobody from here on, and its memory comes back by {@link sweep}. */
  unregister(publisher: Publisher): void {
    const { request } = publisher;
    const key = contextKey(request);
    const context = this.#contexts.get(key);
    this.#publishers.delete(publisherKey(request));
    this.#byEndpoint.delete(request.endpoint);
    context?.remove(publisher);
    if (context?.isEmpty === true) this.#contexts.delete(key);
  }

  /** Something that was unregistered still takes room. */
  get isSweeping(): boolean {
    return this.contexts.some((context) => context.isSweeping);
  }

  /** Takes about `maxBlocks` of it out; contexts that nobody is in any more went at once. */
  sweep(maxBlocks: number): void {
    this.contexts.find((context) => context.isSweeping)?.sweep(maxBlocks);
  }

  /** Contexts that may know something: those of the adapter, and those whose publishers name the adapter themselves. */
  contextsOf({ tenantId, model, loraName, blockSize }: QueryScope): Context[] {
    return this.contexts.filter(
      ({ name }) =>
        name.model === model &&
        name.tenantId === tenantId &&
        (name.loraName === undefined || name.loraName === loraName) &&
        (blockSize === undefined || name.blockSize === blockSize),
    );
  }

  close(): void {
    for (const publisher of this.publishers) this.unregister(publisher);
  }

  #checkNew(request: RegistrationRequest): void {
    const { maxPublishers, maxContexts } = this.#limits;
    if (this.#publishers.size >= maxPublishers) {
      throw refusal('limit', `at most ${maxPublishers} publishers can be registered`);
    }
    const other = this.#byEndpoint.get(request.endpoint)?.request;
    if (other !== undefined) {
      const message = `endpoint ${request.endpoint} is registered for ${publisherText(other)}`;
      throw refusal('conflict', message, { field: 'endpoint' });
    }
    const context = this.#contexts.get(contextKey(request));
    if (context !== undefined) {
      checkProfile(context.hashProfile, request.hashProfile);
      if (!context.hasRoom) throw refusal('limit', 'this context has no room for a publisher more');
    } else if (this.#contexts.size >= maxContexts) {
      const message = `at most ${maxContexts} contexts (tenant, model, adapter, block size) can be registered`;
      throw refusal('limit', message);
    }
  }

  #newContext({ tenantId, model, loraName, blockSize }: RegistrationRequest): Context {
    return new Context({ tenantId, model, loraName, blockSize }, this.#limits);
  }

  #follow(context: Context, request: RegistrationRequest): Publisher {
    try {
      return context.add(request, this.#ports);
    } catch (error) {
      if (!(error instanceof BatonError) || error.code !== 'config_invalid') throw error;
      const { field = 'endpoint' } = error.details as { field?: EndpointField };
      throw refusal('invalid_value', error.message, { field });
    }
  }
}

function sharedDecoders(): PublisherPorts['decoders'] {
  const pair = (dialect: EventDialect): [EventDecoder, EventDecoder] => [
    new EventDecoder(dialect),
    new EventDecoder(dialect, true),
  ];
  const pairs = { vLLM: pair('vllm'), SGLang: pair('sglang') };
  return (type, isLow64) => pairs[type][isLow64 ? 1 : 0];
}

function checkSame(known: RegistrationRequest, request: RegistrationRequest): void {
  const asked = new Map(describedFields(request));
  const others = [...describedFields(known)].filter(([field, value]) => asked.get(field) !== value);
  const [first] = others;
  if (first === undefined) return;
  const differences = others.map(
    ([field, value]) => `${field} ${shown(value)}, this request says ${shown(asked.get(field))}`,
  );
  const message = `${publisherText(known)} is registered with ${differences.join('; ')}; unregister it first`;
  throw refusal('conflict', message, { field: first[0] });
}

/** Engines of one context hash alike: a hash names the same block whoever is asked. */
function checkProfile(known: HashProfile | undefined, asked: HashProfile | undefined): void {
  if (known === undefined || asked === undefined) return;
  const theirs = new Map(profileEntries(asked));
  for (const [name, ours = ''] of profileEntries(known)) {
    const their = theirs.get(name) ?? '';
    if (ours === their) continue;
    const field = `hash_profile.${name}`;
    const message = `${field} must be ${quoted(ours)} as for the others of this context, not ${quoted(their)}`;
    throw refusal('conflict', message, { field });
  }
}

function publisherKey({ instanceId, tenantId, dpRank }: PublisherName): string {
  return JSON.stringify([instanceId, tenantId, dpRank]);
}

function contextKey({ tenantId, model, loraName, blockSize }: RegistrationRequest): string {
  return JSON.stringify([tenantId, model, loraName ?? null, blockSize]);
}

function shown(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}
