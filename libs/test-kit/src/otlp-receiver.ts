import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { spansFromJson, spansFromProtobuf, type ReceivedSpan } from './otlp-messages.ts';

/** A span with the spans that name it as their parent, in order of their start. */
export interface SpanTree {
  span: ReceivedSpan;
  children: SpanTree[];
}

export interface OtlpReceiver {
  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  endpoint: string;
  /** For BATON_TRACE_ENDPOINT. */
  tracesEndpoint: string;
  spans: readonly ReceivedSpan[];
  /** `content-type` of each request. */
  contentTypes: readonly string[];
  /** Headers of each request. */
  headers: readonly IncomingMessage['headers'][];
  /** Resolves as soon as `wanted` is true of all spans so far; rejects after `timeoutMs`. */
  waitFor(wanted: (spans: readonly ReceivedSpan[]) => boolean, timeoutMs?: number): Promise<void>;
  close(): Promise<void>;
}

const decoders: Record<string, (body: Uint8Array) => ReceivedSpan[]> = {
  'application/json': spansFromJson,
  'application/x-protobuf': spansFromProtobuf,
};

const WAIT_MS = 15_000;

async function bodyOf(request: IncomingMessage): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  return request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
}

/** A real OTLP/HTTP endpoint on a free port; protobuf and JSON, gzip or not. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const contentTypes: string[] = [];
  const headers: IncomingMessage['headers'][] = [];
  const waiters = new Set<() => void>();

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await bodyOf(request);
    const contentType = request.headers['content-type'] ?? '';
    const decode = decoders[contentType];
    if (request.url !== '/v1/traces' || !decode) {
      response.writeHead(decode ? 404 : 415).end();
      return;
    }
    spans.push(...decode(body));
    contentTypes.push(contentType);
    headers.push(request.headers);
    response.writeHead(200, { 'content-type': contentType });
    response.end(contentType === 'application/json' ? '{}' : undefined);
    waiters.forEach((check) => check());
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.writeHead(400).end(String(error)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    endpoint,
    tracesEndpoint: `${endpoint}/v1/traces`,
    spans,
    contentTypes,
    headers,
    waitFor: (wanted, timeoutMs = WAIT_MS) =>
      new Promise((resolve, reject) => {
        const end = (settle: () => void): void => {
          clearTimeout(timer);
          waiters.delete(check);
          settle();
        };
        const check = (): void => {
          if (wanted(spans)) end(resolve);
        };
        const timer = setTimeout(() => {
          const names = spans.map((span) => `${span.service}/${span.name}`).join(', ');
          end(() => reject(new Error(`the wanted spans did not come; received: ${names}`)));
        }, timeoutMs);
        waiters.add(check);
        check();
      }),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/**
 * The spans of one trace as trees: one entry for each root. Spans whose parent is not among them are orphans and come
 * back apart.
 */
export function spanTrees(spans: readonly ReceivedSpan[]): {
  roots: SpanTree[];
  orphans: ReceivedSpan[];
} {
  const byId = new Map(spans.map((span) => [span.spanId, { span, children: [] as SpanTree[] }]));
  const roots: SpanTree[] = [];
  const orphans: ReceivedSpan[] = [];
  for (const node of byId.values()) {
    const parent = byId.get(node.span.parentSpanId);
    if (parent) parent.children.push(node);
    else if (node.span.parentSpanId === '') roots.push(node);
    else orphans.push(node.span);
  }
  const byStart = (a: SpanTree, b: SpanTree): number =>
    a.span.startTimeUnixNano < b.span.startTimeUnixNano ? -1 : 1;
  for (const node of byId.values()) node.children.sort(byStart);
  return { roots: roots.sort(byStart), orphans };
}
