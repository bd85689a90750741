import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const HTTP_UNAUTHORIZED = 401;
const HTTP_NOT_FOUND = 404;

/** What an SGLang answers to whoever looks at it; anything can be changed while it runs. */
export class SglangFront {
  info: Record<string, unknown> = {
    ...{ version: '0.5.16', model_path: '/models/tiny', page_size: 16 },
    ...{ max_total_num_tokens: 4_096, dp_size: 1, disaggregation_mode: 'null' },
    disaggregation_transfer_backend: 'mooncake',
  };
  loads: unknown = {
    loads: [{ num_running_reqs: 2, num_waiting_reqs: 1, num_used_tokens: 1_024 }],
  };
  window: unknown = 1_024;
  rendersChats = true;
  apiKey = '';
  /** Answered instead of what is asked for, by path. */
  readonly statuses = new Map<string, number>();
  readonly asked: string[] = [];
  readonly #server = createServer((request, response) => {
    const path = request.url ?? '';
    this.asked.push(path);
    let body = '';
    request.setEncoding('utf8').on('data', (piece: string) => (body += piece));
    request.on('end', () => {
      const isKnown = request.headers.authorization === `Bearer ${this.apiKey}`;
      const answer = this.#answer(path, body);
      const found = answer === undefined ? HTTP_NOT_FOUND : 200;
      const status = this.statuses.get(path) ?? found;
      const isOpen = this.apiKey === '' || isKnown;
      response.writeHead(isOpen ? status : HTTP_UNAUTHORIZED).end(JSON.stringify(answer ?? {}));
    });
  });

  static async start(changes: Partial<SglangFront> = {}): Promise<SglangFront> {
    const front = Object.assign(new SglangFront(), changes);
    await new Promise<void>((resolve) => front.#server.listen(0, '127.0.0.1', resolve));
    return front;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(path: string, body: string): unknown {
    switch (path) {
      case '/server_info':
      case '/get_server_info':
        return this.info;
      case '/v1/models':
        return { data: [{ id: 'tiny', root: 'tiny', parent: null, max_model_len: this.window }] };
      case '/v1/loads?include=core':
        return this.loads;
      case '/get_load':
        return [{ num_reqs: 5, num_waiting_reqs: 2, num_tokens: 64 }];
      case '/tokenize': {
        if (!this.rendersChats && body.includes('"messages"')) return undefined;
        const tokens = [...body].map((char) => char.codePointAt(0));
        return { tokens, count: tokens.length, max_model_len: 1e30 };
      }
      default:
        return undefined;
    }
  }
}
