import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** What a vLLM answers to whoever looks at it, with the fields that a real one has; anything can be changed. */
export class VllmFront {
  version: unknown = { version: '0.32.0' };
  models: unknown = {
    object: 'list',
    data: [
      { id: 'tiny', object: 'model', root: '/models/tiny', parent: null, max_model_len: 1024 },
    ],
  };
  /** As `GET /kv_event_sources` has it. */
  sources: unknown = {};
  startedAtSec = 1_795_972_858.04;
  running = 0;
  hasNixl = false;
  /** Data-parallel ranks, and whether a request can be given to one of them. */
  ranks = 1;
  heedsRank = true;
  hasMetrics = true;
  apiKey = '';
  /** What computes; what answers goes on. */
  isDead = false;
  /** Whoever looks is not answered. */
  hangs = false;
  unanswered = 0;
  blockTokens = 16;
  cachesPrefixes = true;
  /** Added to each token: another tokenizer. */
  shift = 0;
  /** Answered instead of what is asked for, by path. */
  readonly statuses = new Map<string, number>();
  /** What is waited for before an answer, by path. */
  readonly waits = new Map<string, Promise<void>>();
  readonly asked: string[] = [];
  #server: Server | undefined;
  #port = 0;

  static async start(changes: Partial<VllmFront> = {}): Promise<VllmFront> {
    const front = Object.assign(new VllmFront(), changes);
    await front.serve();
    onTestFinished(() => front.close());
    return front;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Begins, or is there again at the same place. */
  async serve(): Promise<void> {
    const server = createServer((request, response) => {
      this.asked.push(`${request.method} ${request.url}`);
      let body = '';
      request.setEncoding('utf8').on('data', (piece: string) => (body += piece));
      request.on('end', async () => {
        await this.waits.get(request.url ?? '');
        if (this.hangs) {
          this.unanswered += 1;
          return;
        }
        const path = request.url ?? '';
        const isKnown = request.headers.authorization === `Bearer ${this.apiKey}`;
        if (this.apiKey !== '' && path.startsWith('/v1') && !isKnown) {
          return response.writeHead(401).end('{}');
        }
        const status = this.statuses.get(path);
        if (status !== undefined) return response.writeHead(status).end('{}');
        if (path === '/health') return response.writeHead(this.isDead ? 503 : 200).end();
        const rank = Number(request.headers['x-data-parallel-rank'] ?? 0);
        if (this.heedsRank && rank >= this.ranks) return response.writeHead(400).end('{}');
        const answer = this.#answer(path, body);
        const text = typeof answer === 'string' ? answer : JSON.stringify(answer);
        response.writeHead(answer === undefined ? 404 : 200).end(text ?? '{"detail":"Not Found"}');
      });
    });
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  async close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    server?.closeAllConnections();
    await new Promise((resolve) => (server === undefined ? resolve(0) : server.close(resolve)));
  }

  #answer(path: string, body: string): unknown {
    switch (path) {
      case '/version':
        return this.version;
      case '/v1/completions':
        return { choices: [{ text: 'a' }] };
      case '/v1/models':
        return this.models;
      case '/kv_event_sources':
        return this.sources;
      case '/metrics':
        return this.hasMetrics ? this.#metrics() : undefined;
      case '/tokenize': {
        const tokens = [...body].map((char) => this.shift + (char.codePointAt(0) ?? 0));
        return { count: tokens.length, max_model_len: 1024, tokens, token_strs: null };
      }
      default:
        return undefined;
    }
  }

  #metrics(): string {
    const labels = 'engine="0",model_name="tiny"';
    const ranks = Array.from({ length: this.ranks }, (_, rank) => {
      const own = `engine="${rank}",model_name="tiny"`;
      return [
        `vllm:num_requests_running{${own}} ${this.running + rank}.0`,
        `vllm:num_requests_waiting{${own}} 0.0`,
        `vllm:kv_cache_usage_perc{${own}} 0.25`,
        `vllm:cache_config_info{block_size="${this.blockTokens}",enable_prefix_caching="${this.cachesPrefixes ? 'True' : 'False'}",engine="${rank}",num_gpu_blocks="64"} 1.0`,
      ];
    });
    return [
      `process_start_time_seconds ${this.startedAtSec}`,
      ...ranks.flat(),
      ...(this.hasNixl
        ? [
            `vllm:nixl_bytes_transferred_count{${labels}} 3.0`,
            `vllm:nixl_bytes_transferred_sum{${labels}} 6e6`,
          ]
        : []),
      '',
    ].join('\n');
  }
}
