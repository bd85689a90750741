import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Json = Record<string, unknown>;

/** Of each request the part that is not computed; the rest is computed, and as much is moved. */
const REUSED_SHARE: Readonly<Record<string, number>> = { 'round-robin': 0.25, 'kv-centric': 0.75 };
const KV_BYTES_PER_TOKEN = 100;

/** Gateway, conductor and tokenizer of a fleet in one server, as far as the demo knows them. */
export class FakeFleet {
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  /** As `GET /policies` has them. */
  defaults: Json = { policy: 'least-tokens', queue: 'fcfs', policyParameters: {} };
  models: Record<string, Json> = {};
  /** Prompts in their order, with the policy under which they came. */
  readonly asked: { policy: string; prompt: number[] }[] = [];
  readonly changes: { path: string; body: Json }[] = [];
  inFlight = 0;
  mostInFlight = 0;
  /** Status of the completions to come. */
  status = 200;
  /** While set, changes of the policy are refused. */
  refusesChanges = false;
  /** When set, completions wait for it. */
  gate: Promise<void> | undefined;
  /** Sent instead of the end of a stream. */
  brokenBy: string | undefined;
  epoch = 1;
  prefillTokensPerSec = 1_000;
  otherRequests = 0;
  #beats = 0;
  #computed = 0;
  #moved = 0;

  static async start(): Promise<FakeFleet> {
    const fleet = new FakeFleet();
    fleet.#server.listen(0, '127.0.0.1');
    await once(fleet.#server, 'listening');
    return fleet;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const part of request) text += String(part);
    const body = (text === '' ? {} : JSON.parse(text)) as Json;
    const path = new URL(request.url ?? '/', this.url).pathname;
    if (path === '/v1/completions') return this.#complete(body, response);
    const [status, answer] = this.#answer(request.method ?? '', path, body);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer));
  }

  #answer(method: string, path: string, body: Json): [number, unknown] {
    if (method === 'PUT') return this.#change(path, body);
    if (path === '/policies') return [200, { defaults: this.defaults, models: this.models }];
    if (path === '/tokenize') {
      return [200, { tokens: [1, ...Array.from({ length: 40 }, (_, i) => 50 + (i % 30))] }];
    }
    if (path === '/plans') {
      const planned = this.asked.length + this.otherRequests;
      return [200, { live: this.inFlight, waiting: 0, totals: { planned, refused: 0 } }];
    }
    if (path === '/workers') return [200, { workers: this.#workers() }];
    return [404, {}];
  }

  #change(path: string, body: Json): [number, unknown] {
    if (this.refusesChanges) return [400, { error: { message: 'not now' } }];
    this.changes.push({ path, body });
    const model = /^\/policies\/(.+)$/.exec(path)?.[1];
    const named = ([, value]: [string, unknown]): boolean => value !== null;
    const patched = (json: Json): Json =>
      Object.fromEntries(Object.entries({ ...json, ...body }).filter(named));
    if (model === undefined) this.defaults = patched(this.defaults);
    else this.models = { ...this.models, [model]: patched(this.models[model] ?? {}) };
    return [200, {}];
  }

  #workers(): Json[] {
    this.#beats += 1;
    const facts = { model: 'm', state: 'ready', segmentTokens: 64, tokenization: 't' };
    const counters = { tokensComputed: this.#computed, tokensTransferred: this.#moved };
    const idle = { tokensComputed: 0, tokensTransferred: 0, bytesIn: 0 };
    return ['one', 'two'].map((workerId, i) => ({
      ...{ workerId, ...facts, engineUrl: this.url, lastBeatAtMs: this.#beats },
      epoch: { startedAtMs: this.epoch, nonce: 'n' },
      loads: [{ prefillTokensPerSec: this.prefillTokensPerSec }],
      counters: i === 0 ? { ...counters, bytesIn: this.#moved * KV_BYTES_PER_TOKEN } : idle,
    }));
  }

  async #complete(body: Json, response: ServerResponse): Promise<void> {
    const prompt = body['prompt'] as number[];
    const own = this.models['m'] ?? this.defaults;
    const policy = String(own['prefillPolicy'] ?? own['policy']);
    this.asked.push({ policy, prompt });
    this.inFlight += 1;
    this.mostInFlight = Math.max(this.mostInFlight, this.inFlight);
    response.once('close', () => (this.inFlight -= 1));
    await this.gate;
    await new Promise((resolve) => setTimeout(resolve, 5));
    if (this.status !== 200) {
      response.writeHead(this.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: 'no capacity left' } }));
      return;
    }
    const computed = prompt.length * (1 - (REUSED_SHARE[policy] ?? 0));
    this.#computed += computed;
    this.#moved += computed;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(`data: {"choices":[{"text":"x"}]}\n\n${this.brokenBy ?? 'data: [DONE]'}\n\n`);
  }
}
