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
  /** Beside the model, as `/v1/models` lists them. */
  adapters: object[] = [];
  rendersChats = true;
  /** As the rank that is to answer says, or one after the other. */
  heedsRank = true;
  #turn = 0;
  /** Undefined: its page of metrics is not there. */
  metrics: string | undefined;
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
      const text = typeof answer === 'string' ? answer : JSON.stringify(answer ?? {});
      response.writeHead(isOpen ? status : HTTP_UNAUTHORIZED).end(text);
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
        return {
          data: [
            { id: 'tiny', root: 'tiny', parent: null, max_model_len: this.window },
            ...this.adapters,
          ],
        };
      case '/v1/loads?include=core':
        return this.loads;
      case '/metrics':
        return this.metrics;
      case '/generate': {
        const asked = JSON.parse(body) as { routed_dp_rank?: number; bootstrap_host?: string };
        const isSide = this.info['disaggregation_mode'] !== 'null';
        // A side of pairs that is asked like that waits for ever.
        if (isSide && asked.bootstrap_host !== '2.2.2.2')
          throw new Error('asked without the other');
        this.#turn = (this.#turn + 1) % Number(this.info['dp_size']);
        const rank = this.heedsRank ? asked.routed_dp_rank : this.#turn;
        return { text: 'a', meta_info: { finish_reason: { type: 'length' }, dp_rank: rank } };
      }
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
