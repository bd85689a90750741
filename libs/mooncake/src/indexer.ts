import type { AnswerForm } from './answers/query-answer.ts';
import { queryAnswer } from './answers/query-answer.ts';
import { globalView, servicesView } from './answers/views.ts';
import type { Context, RankTokens } from './contexts/context.ts';
import type { OpenEventFeed } from './contexts/event-feed.ts';
import { MAX_NAME } from './contexts/field-limits.ts';
import type { Publisher } from './contexts/publisher.ts';
import { hashListNames, readScope, type QueryScope } from './contexts/query-request.ts';
import {
  modelNames,
  publisherText,
  readRegistration,
  readUnregistration,
  type PublisherName,
} from './contexts/registration-request.ts';
import { Registry, type RegistryLimits } from './contexts/registry.ts';
import type { Fields } from './wire/fields.ts';
import { refusal } from './wire/refusal.ts';
import { quoted } from './wire/request-body.ts';

export interface IndexerOptions {
  openFeed: OpenEventFeed;
  answers: AnswerForm;
  limits: RegistryLimits;
}

/** What the routes do, without HTTP and without the form of the bytes. All throw BatonErrors of refusals. */
export class Indexer {
  readonly #registry: Registry;
  readonly #answers: AnswerForm;

  constructor({ openFeed, answers, limits }: IndexerOptions) {
    this.#registry = new Registry(limits, openFeed);
    this.#answers = answers;
  }

  register(fields: Fields): object {
    const request = readRegistration(fields);
    this.#registry.register(request);
    return { status: 'registered successfully', instance_id: request.instanceId };
  }

  unregister(fields: Fields): object {
    const name = readUnregistration(fields);
    const publishers = this.#registry.publishersOf(name);
    if (publishers.length === 0) {
      const { instanceId, tenantId, dpRank } = name;
      const rank = dpRank === undefined ? '' : ` and rank ${dpRank}`;
      const message = `nothing is registered for instance ${quoted(instanceId)} of tenant ${quoted(tenantId)}${rank}`;
      throw refusal('not_found', message, { field: 'instance_id' });
    }
    for (const publisher of publishers) checkDescription(fields, publisher);
    for (const publisher of publishers) this.#registry.unregister(publisher);
    return {
      status: 'unregistered successfully',
      removed_instances: publishers.map(({ request }) => wireName(request)),
    };
  }

  query(fields: Fields): object {
    const scope = readScope(fields);
    const tokens = fields.tokens('token_ids');
    return this.#answer(scope, (context) => context.matchTokens(tokens, scope));
  }

  queryByHash(fields: Fields): object {
    const scope = readScope(fields);
    const [, localName] = hashListNames;
    if (this.#answers === 'dynamo' && fields.has(localName)) {
      const message = `${localName} of Dynamo's indexer are hashes of each block's tokens alone, which are not kept; send token_ids to /query, or the engine's own hashes as seq_hashes`;
      throw refusal('unsupported', message, { field: localName });
    }
    const hashes = fields.hashes(hashListNames);
    return this.#answer(scope, (context) => context.matchHashes(hashes));
  }

  globalView(): object {
    return globalView(this.#registry.contexts);
  }

  services(): object {
    return servicesView(this.#registry.publishers);
  }

  /** See {@link Registry.sweep}. */
  get isSweeping(): boolean {
    return this.#registry.isSweeping;
  }

  sweep(maxBlocks: number): void {
    this.#registry.sweep(maxBlocks);
  }

  /** Unsubscribes from everybody. */
  close(): void {
    this.#registry.close();
  }

  #answer(scope: QueryScope, match: (context: Context) => RankTokens[]): object {
    const isAsked = ({ request: { instanceId } }: Publisher): boolean =>
      scope.instanceId === undefined || scope.instanceId === instanceId;
    const contexts = this.#registry.contextsOf(scope);
    return queryAnswer(this.#answers, {
      tenantId: scope.tenantId,
      asked: askedOf(contexts, isAsked),
      found: contexts.flatMap(match).filter(({ publisher }) => isAsked(publisher)),
    });
  }
}

function askedOf(
  contexts: readonly Context[],
  isAsked: (publisher: Publisher) => boolean,
): Publisher[] {
  const asked: Publisher[] = [];
  for (const { publishers } of contexts) {
    for (const publisher of publishers) if (isAsked(publisher)) asked.push(publisher);
  }
  return asked;
}

/** What else a request says of a publisher has to be so. */
function checkDescription(fields: Fields, { request }: Publisher): void {
  const said: [string, unknown, unknown][] = [
    ['type', fields.optionalText(['type'], MAX_NAME)?.toLowerCase(), request.type.toLowerCase()],
    ['modelname', fields.optionalText(modelNames, MAX_NAME), request.model],
    ['lora_name', fields.optionalText(['lora_name'], MAX_NAME), request.loraName],
    ['block_size', fields.optionalInteger(['block_size'], anyInteger), request.blockSize],
  ];
  for (const [field, asked, known] of said) {
    if (asked === undefined || asked === known) continue;
    const message = `${publisherText(request)} is registered with ${field} ${JSON.stringify(known ?? null)}`;
    throw refusal('conflict', message, { field });
  }
}

const anyInteger = { min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER };

function wireName({ instanceId, tenantId, dpRank }: PublisherName): string {
  return `${instanceId}|${tenantId}|${dpRank}`;
}
