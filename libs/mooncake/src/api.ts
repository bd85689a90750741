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
  contentEncoding?: string | undefined;
  accept: string | undefined;
  /** Undefined where there is none. */
  body: Uint8Array | undefined;
}

export interface ApiAnswer {
  status: number;
  /** Beside the length, which the server knows. */
  headers: Readonly<Record<string, string>>;
  /** To a HEAD only its length is told. */
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
      return encoded(200, this.#run(request), isMsgpack);
    } catch (error) {
      const body = refusalBody(error) ?? this.#fault(error);
      return encoded(statusOf(body.reason), body, isMsgpack, refusalHeaders(body, request));
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
    const headers = reason === 'busy' ? { 'retry-after': '1' } : {};
    return encoded(statusOf(reason), { error: message, reason }, false, headers);
  }

  /** What was unregistered still takes room: {@link sweep} has to be called. */
  get isSweeping(): boolean {
    return this.#indexer.isSweeping;
  }

  /** Gives back the room of about `maxBlocks` that nobody has any more. */
  sweep(maxBlocks: number): void {
    this.#indexer.sweep(maxBlocks);
  }

  /** Unsubscribes from everybody. */
  close(): void {
    this.#indexer.close();
  }

  #run(request: ApiRequest): object {
    const { path, body } = request;
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const route = routes[path];
    if (route === undefined) throw refusal('not_found', `there is nothing at ${quoted(path)}`);
    if (route.method !== method) {
      throw refusal('method_not_allowed', `${path} takes ${route.method}, not ${request.method}`);
    }
    if (route.method === 'GET') return route.run(this.#indexer);
    const shape = { fields: route.fields, tokens: this.#tokens, hashes: this.#hashes };
    const bytes = body ?? new Uint8Array(0);
    const read = bodyReader(request);
    return route.run(this.#indexer, new Fields(read(bytes, shape)));
  }
}

function refusalHeaders({ reason }: RefusalBody, { path }: ApiRequest): Record<string, string> {
  if (reason !== 'method_not_allowed') return {};
  return { allow: routes[path]?.method === 'GET' ? 'GET, HEAD' : 'POST' };
}

function bodyReader({ contentType, contentEncoding }: ApiRequest): typeof readJsonBody {
  if (contentEncoding !== undefined && contentEncoding.toLowerCase() !== 'identity') {
    const message = `the body must come without a content encoding, not as ${quoted(contentEncoding)}`;
    throw refusal('unsupported_media_type', message);
  }
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
  status: number,
  body: object,
  isMsgpack: boolean,
  headers: Record<string, string> = {},
): ApiAnswer {
  const type = isMsgpack ? (msgpackTypes[0] as string) : `${JSON_TYPE}; charset=utf-8`;
  const bytes = isMsgpack ? encode(body) : JSON.stringify(body);
  return { status, headers: { 'content-type': type, ...headers }, body: bytes };
}
