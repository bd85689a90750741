import { encode } from '@msgpack/msgpack';
import { registerFields, unregisterFields } from './contexts/registration-request.ts';
import { queryByHashFields, queryFields } from './contexts/query-request.ts';
import { Indexer, type IndexerOptions } from './indexer.ts';
import type { IndexerLimits } from './limits.ts';
import { Fields } from './wire/fields.ts';
import { readJsonBody } from './wire/json-body.ts';
import { readMsgpackBody } from './wire/msgpack-body.ts';
import {
  refusal,
  refusalBody,
  statusOf,
  type RefusalBody,
  type RefusalReason,
} from './wire/refusal.ts';
import { HashList, quoted, TokenList } from './wire/request-body.ts';

export interface IndexerApiOptions extends IndexerOptions {
  limits: IndexerLimits;
  /** A fault of ours, which its client is told nothing of but that it happened. */
  onFault(error: unknown): void;
}

export interface ApiRequest {
  method: string;
  /** Without the query string. */
  path: string;
  contentType: string | undefined;
  accept: string | undefined;
  /** Undefined where there is none. */
  body: Uint8Array | undefined;
}

export interface ApiAnswer {
  status: number;
  contentType: string;
  body: string | Uint8Array;
}

type Route =
  | { method: 'GET'; run(indexer: Indexer): object }
  | { method: 'POST'; fields: ReadonlySet<string>; run(indexer: Indexer, fields: Fields): object };

const routes: Readonly<Record<string, Route>> = {
  '/register': { method: 'POST', fields: registerFields, run: (i, fields) => i.register(fields) },
  '/unregister': {
    method: 'POST',
    fields: unregisterFields,
    run: (i, fields) => i.unregister(fields),
  },
  '/query': { method: 'POST', fields: queryFields, run: (i, fields) => i.query(fields) },
  '/query_by_hash': {
    method: 'POST',
    fields: queryByHashFields,
    run: (i, fields) => i.queryByHash(fields),
  },
  '/global_view': { method: 'GET', run: (i) => i.globalView() },
  '/services': { method: 'GET', run: (i) => i.services() },
};

/** Paths of the indexer API. */
export const indexerPaths: readonly string[] = Object.keys(routes);

const JSON_TYPE = 'application/json';
const msgpackTypes: readonly string[] = [
  'application/msgpack',
  'application/x-msgpack',
  'application/vnd.msgpack',
];

/**
 * The indexer HTTP API of Mooncake: from the bytes of a request to those of its answer. Never throws; what is wrong with
 * a request is said in its answer.
 */
export class IndexerApi {
  readonly #indexer: Indexer;
  readonly #onFault: (error: unknown) => void;
  readonly #tokens: TokenList;
  readonly #hashes: HashList;

  constructor(options: IndexerApiOptions) {
    this.#onFault = options.onFault;
    this.#indexer = new Indexer(options);
    this.#tokens = new TokenList(options.limits.maxTokens);
    this.#hashes = new HashList(options.limits.maxHashes);
  }

  answer(request: ApiRequest): ApiAnswer {
    const isMsgpack = isMsgpackType(request.contentType) || isMsgpackType(request.accept);
    try {
      return { status: 200, ...encoded(this.#run(request), isMsgpack) };
    } catch (error) {
      const body = refusalBody(error) ?? this.#fault(error);
      return { status: statusOf(body.reason), ...encoded(body, isMsgpack) };
    }
  }

  #fault(error: unknown): RefusalBody {
    this.#onFault(error);
    return { error: 'the indexer failed; its log says why', reason: 'internal' };
  }

  /** What `GET /global_view` and `GET /services` say, for the admin API. */
  overview(): object {
    return { ...this.#indexer.globalView(), ...this.#indexer.services() };
  }

  /** The answer to a request that is refused before its body is read. */
  refuse(reason: RefusalReason, message: string): ApiAnswer {
    return { status: statusOf(reason), ...encoded({ error: message, reason }, false) };
  }

  /** Unsubscribes from everybody. */
  close(): void {
    this.#indexer.close();
  }

  #run({ method, path, contentType, body }: ApiRequest): object {
    const route = routes[path];
    if (route === undefined) throw refusal('not_found', `there is nothing at ${quoted(path)}`);
    if (route.method !== method) {
      throw refusal('method_not_allowed', `${path} takes ${route.method}, not ${method}`);
    }
    if (route.method === 'GET') return route.run(this.#indexer);
    const shape = { fields: route.fields, tokens: this.#tokens, hashes: this.#hashes };
    const bytes = body ?? new Uint8Array(0);
    const read = bodyReader(contentType);
    return route.run(this.#indexer, new Fields(read(bytes, shape)));
  }
}

function bodyReader(contentType: string | undefined): typeof readJsonBody {
  if (isMsgpackType(contentType)) return readMsgpackBody;
  if (contentType === undefined || mediaType(contentType) === JSON_TYPE) return readJsonBody;
  const message = `the content type must be ${JSON_TYPE} or ${msgpackTypes[0]}, not ${quoted(contentType)}`;
  throw refusal('unsupported_media_type', message);
}

function isMsgpackType(header: string | undefined): boolean {
  return header !== undefined && msgpackTypes.includes(mediaType(header));
}

function mediaType(header: string): string {
  return (header.split(';')[0] ?? '').trim().toLowerCase();
}

function encoded(
  body: object,
  isMsgpack: boolean,
): { contentType: string; body: string | Uint8Array } {
  if (isMsgpack) return { contentType: msgpackTypes[0] as string, body: encode(body) };
  return { contentType: `${JSON_TYPE}; charset=utf-8`, body: JSON.stringify(body) };
}
