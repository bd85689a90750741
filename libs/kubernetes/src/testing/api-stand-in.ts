import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { StoredPods, type PodEvent } from './stored-pods.ts';
import type { StoredPod } from './test-pods.ts';

const TOKEN = 'token-of-the-test';
const PATH = '/api/v1/namespaces/inference/pods';
const LIST_PARAMETERS = new Set(['labelSelector', 'limit', 'continue']);
const WATCH_PARAMETERS = new Set([
  ...['labelSelector', 'watch', 'allowWatchBookmarks', 'resourceVersion', 'timeoutSeconds'],
]);

/** What goes wrong from now on, until it is `undefined` again. */
export interface ApiFaults {
  /** Status and message of every answer. */
  refuses?: { code: number; reason: string; message: string } | undefined;
  refusesWatch?: { code: number; reason: string; message: string } | undefined;
  /** Requests are taken and never answered. */
  hangs?: boolean | undefined;
  /** Before a page of a list. */
  pauseMs?: number | undefined;
  /** Watches say nothing more, and stay open. */
  isSilent?: boolean | undefined;
  /** Pages of a list end in the middle. */
  cutsLists?: boolean | undefined;
  /** Instead of an answer to a list. */
  body?: string | undefined;
}

/**
 * A stand-in of an API server with pods in one namespace: lists in pages, watches from a version on, bookmarks, 410 after a
 * compaction, a token. A request that a real one would refuse is a violation, and so is a watch that nobody closed when
 * the next one of its selector begins.
 */
export class ApiStandIn {
  readonly pods = new StoredPods();
  readonly violations: string[] = [];
  readonly requests: string[] = [];
  faults: ApiFaults = {};
  readonly #watches = new Set<Watch>();
  #server: Server | undefined;
  #port = 0;
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'baton-kubeconfig-'));

  static async start(): Promise<ApiStandIn> {
    const standIn = new ApiStandIn();
    await standIn.serve();
    return standIn;
  }

  /** A kubeconfig for it, as a file. */
  get kubeconfig(): string {
    const file = path.join(this.#folder, 'config');
    const server = `http://127.0.0.1:${this.#port}`;
    const config = {
      ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'test' },
      clusters: [{ name: 'c', cluster: { server, 'insecure-skip-tls-verify': true } }],
      users: [{ name: 'u', user: { token: TOKEN } }],
      contexts: [{ name: 'test', context: { cluster: 'c', user: 'u', namespace: 'inference' } }],
    };
    writeFileSync(file, JSON.stringify(config));
    return file;
  }

  get watches(): number {
    return this.#watches.size;
  }

  /** How often pods were listed from the beginning. */
  get lists(): number {
    return this.requests.filter((url) => !/watch=|continue=/.test(url)).length;
  }

  /** Begins, or is there again at the same place. */
  async serve(): Promise<void> {
    const server = createServer((request, response) => void this.#answer(request, response));
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  /** Gone from one moment to the next, with all connections. */
  async kill(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    server?.closeAllConnections();
    await new Promise((resolve) => (server === undefined ? resolve(0) : server.close(resolve)));
  }

  async close(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true });
  }

  /** Every watch ends as after its `timeoutSeconds`. */
  endWatches(): void {
    for (const { response } of this.#watches) response.end();
  }

  /** Every watch breaks, in the middle of a line. */
  cutWatches(): void {
    for (const { response } of this.#watches) {
      response.write('{"type":"MODIFIED","object":{"kind":"Po', () => response.destroy());
    }
  }

  /** A line as it is. */
  say(line: string): void {
    for (const { response } of this.#watches) response.write(`${line}\n`);
  }

  bookmark(): void {
    const version = String(this.pods.version);
    const object = {
      ...{ kind: 'Pod', apiVersion: 'v1', metadata: { resourceVersion: version } },
      ...{ spec: { containers: null }, status: {} },
    };
    this.say(JSON.stringify({ type: 'BOOKMARK', object }));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://localhost');
    this.requests.push(url.pathname + url.search);
    const { refuses, hangs } = this.faults;
    if (hangs === true) return;
    if (request.headers.authorization !== `Bearer ${TOKEN}`) {
      return refuse(response, 401, 'Unauthorized', 'Unauthorized');
    }
    if (refuses !== undefined) {
      return refuse(response, refuses.code, refuses.reason, refuses.message);
    }
    if (request.method !== 'GET' || url.pathname !== PATH) {
      this.#violates(`${request.method} ${url.pathname}`);
      return refuse(response, 404, 'NotFound', 'the server could not find the requested resource');
    }
    const query = url.searchParams;
    const isWatch = query.get('watch') === 'true';
    const known = isWatch ? WATCH_PARAMETERS : LIST_PARAMETERS;
    for (const name of query.keys()) {
      if (!known.has(name)) this.#violates(`parameter ${name} of a ${isWatch ? 'watch' : 'list'}`);
    }
    const matches = readSelector(query.get('labelSelector') ?? '');
    if (matches === undefined) {
      const message = 'unable to parse requirement: found what is no operator';
      return refuse(response, 400, 'BadRequest', message);
    }
    if (isWatch) return this.#watch(query, matches, response);
    await this.#list(query, matches, response);
  }

  async #list(query: URLSearchParams, matches: Matches, response: ServerResponse): Promise<void> {
    const { pauseMs, cutsLists, body } = this.faults;
    if (pauseMs !== undefined) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    const limit = Number(query.get('limit') ?? this.pods.list().length);
    const [version = this.pods.version, from = 0] = (query.get('continue') ?? '')
      .split('-')
      .filter(Boolean)
      .map(Number);
    if (version < this.pods.compactedTo) {
      const message =
        'The provided continue parameter is too old to display a consistent list result.';
      return refuse(response, 410, 'Expired', message);
    }
    const all = this.pods.list().filter(matches);
    const items = all.slice(from, from + limit);
    const left = all.length - from - items.length;
    const text = JSON.stringify({
      ...{ kind: 'PodList', apiVersion: 'v1' },
      metadata: {
        resourceVersion: String(version),
        ...(left > 0 && { continue: `${version}-${from + limit}`, remainingItemCount: left }),
      },
      // In a list items have neither kind nor apiVersion.
      items: items.map(({ metadata, spec, status }) => ({ metadata, spec, status })),
    });
    response.writeHead(200, { 'content-type': 'application/json' });
    if (cutsLists === true) {
      response.write(text.slice(0, text.length / 2), () => response.destroy());
    } else response.end(body ?? text);
  }

  #watch(query: URLSearchParams, matches: Matches, response: ServerResponse): void {
    const { refusesWatch } = this.faults;
    if (refusesWatch !== undefined) {
      return refuse(response, refusesWatch.code, refusesWatch.reason, refusesWatch.message);
    }
    const version = Number(query.get('resourceVersion'));
    const selector = query.get('labelSelector') ?? '';
    if (!(version > 0)) this.#violates('a watch from no version');
    if (query.get('allowWatchBookmarks') !== 'true') this.#violates('a watch without bookmarks');
    if (!(Number(query.get('timeoutSeconds')) > 0)) this.#violates('a watch for ever');
    if ([...this.#watches].some((watch) => watch.selector === selector)) {
      this.#violates('two watches of one selector');
    }
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    if (version < this.pods.compactedTo) {
      const message = `too old resource version: ${version} (${this.pods.compactedTo})`;
      const object = statusOf(410, 'Expired', message);
      return void response.end(`${JSON.stringify({ type: 'ERROR', object })}\n`);
    }
    const watch = { selector, response };
    this.#watches.add(watch);
    const end = this.pods.follow(version, (event) => {
      const told = seenBy(matches, event);
      if (told === undefined || this.faults.isSilent === true) return;
      // What leaves a selector is told as it was, with the number of the change.
      const { metadata, ...rest } = (told === 'DELETED' ? event.before : undefined) ?? event.pod;
      const { resourceVersion } = event.pod.metadata;
      const object = { ...rest, metadata: { ...metadata, resourceVersion } };
      response.write(`${JSON.stringify({ type: told, object })}\n`);
    });
    response.on('close', () => {
      end();
      this.#watches.delete(watch);
    });
  }

  #violates(what: string): void {
    this.violations.push(what);
  }
}

interface Watch {
  selector: string;
  response: ServerResponse;
}

type Matches = (pod: StoredPod) => boolean;

/** What enters a selector is added to its watch, what leaves it deleted. */
function seenBy(matches: Matches, { type, pod, before }: PodEvent): PodEvent['type'] | undefined {
  const was = before !== undefined && matches(before);
  const is = type !== 'DELETED' && matches(pod);
  if (is) return was ? 'MODIFIED' : 'ADDED';
  return was ? 'DELETED' : undefined;
}

/** `a=b,c!=d,e`; undefined for what is none. */
function readSelector(text: string): Matches | undefined {
  const terms = text === '' ? [] : text.split(',');
  const checks = terms.map((term): Matches | undefined => {
    const parsed = /^([\w./-]+)(?:(==?|!=)([\w.-]*))?$/.exec(term.trim());
    if (parsed === null) return undefined;
    const [, label = '', operator, value] = parsed;
    return ({ metadata }) => {
      const actual = metadata.labels[label];
      if (operator === undefined) return actual !== undefined;
      return operator === '!=' ? actual !== value : actual === value;
    };
  });
  const known = checks.filter((check) => check !== undefined);
  if (known.length < checks.length) return undefined;
  return (pod) => known.every((check) => check(pod));
}

function statusOf(code: number, reason: string, message: string): object {
  const failure = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure' };
  return { ...failure, message, reason, code };
}

function refuse(response: ServerResponse, code: number, reason: string, message: string): void {
  const text = JSON.stringify(statusOf(code, reason, message));
  response.writeHead(code, { 'content-type': 'application/json' }).end(text);
}
