import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { renderChunks, renderWhole, type Output } from './stand-in-answers.ts';
import { sglangLegOf, type BootstrapRooms } from './bootstrap-rooms.ts';
import { vllmLegOf, type VllmHandovers } from './vllm-handovers.ts';

export type LegKind = 'prefill' | 'decode' | 'resume' | 'aggregated';

/** What a stand-in does instead of its duty, once. */
export type Fault =
  | { kind: 'status'; status: number; code?: string; param?: string }
  | { kind: 'reset' }
  | { kind: 'hang' }
  /** The connection breaks where the whole answer would come. */
  | { kind: 'reset at the end'; until: Promise<void> }
  /** Of a stream: so many tokens, then … */
  | { kind: 'cut' | 'stall' | 'error event' | 'malformed' | 'no finish'; after: number }
  /** Prefill samples a token that ends the answer. */
  | { kind: 'stop at first' }
  /** The answer ends at once, by the engine's own will. */
  | { kind: 'give up' }
  /** Prefill loses its handover parameters on the way. */
  | { kind: 'no parameters' };

export interface LegSeen {
  kind: LegKind;
  path: string;
  body: Record<string, unknown>;
  headers: IncomingMessage['headers'];
}

/** Handovers from prefill to decode: by plan, used once. */
export class Handovers {
  readonly #ready = new Map<string, PromiseWithResolvers<void>>();

  #of(planId: string): PromiseWithResolvers<void> {
    let entry = this.#ready.get(planId);
    if (entry === undefined) {
      entry = Promise.withResolvers<void>();
      this.#ready.set(planId, entry);
    }
    return entry;
  }

  give(planId: string): void {
    this.#of(planId).resolve();
  }

  taken(planId: string): Promise<void> {
    return this.#of(planId).promise;
  }
}

export interface StandInOptions {
  workerId: string;
  handovers: Handovers;
  /** Set for a vLLM with NixlConnector; without it the engine is Baton's own. */
  vllm?: VllmHandovers;
  /** Set for an SGLang. */
  sglang?: BootstrapRooms;
  /** Words that an answer has before it ends by itself; what `max_tokens` cuts is shorter. */
  words?: number;
  /** Bytes of one write of a stream; default: one event. */
  writeBytes?: number;
  windowTokens?: number;
  /** Characters of an engine-only field in each chunk. */
  padding?: number;
  /** False for an engine that wants the prompt of a completion as the client wrote it. */
  takesTokens?: boolean;
}

/** Prompt tokens that stand-ins find in their cache. */
export const STAND_IN_REUSED = 2;

/**
 * An engine that follows the contract to the letter and complains about everything that does not: its `violations` must
 * be empty and its `open` zero at the end of every test. A token of a prompt is a character.
 */
export class EngineStandIn {
  readonly workerId: string;
  readonly legs: LegSeen[] = [];
  readonly violations: string[] = [];
  /** Faults to come, by leg; 'tokenize' for /tokenize. */
  readonly faults = new Map<LegKind | 'tokenize', Fault[]>();
  /** Requests that are open now, and how many were ever opened. */
  open = 0;
  total = 0;
  tokenized = 0;
  /** Of the latest one. */
  tokenizeBody: Record<string, unknown> = {};
  /** Chunks of streams that were written. */
  chunks = 0;
  /** When set, a leg of that kind waits for it before it answers. */
  readonly gates = new Map<LegKind | 'tokenize', Promise<void>>();
  url = '';
  /** Of a vLLM: fields of the handover parameters of prefills from now on. */
  spoilParams: object | undefined;
  readonly #options: StandInOptions;
  readonly #server: Server;

  private constructor(options: StandInOptions) {
    this.workerId = options.workerId;
    this.#options = options;
    this.#server = createServer((request, response) => {
      if (request.url === '/ping') return void response.end();
      this.open += 1;
      this.total += 1;
      response.on('close', () => (this.open -= 1));
      let text = '';
      request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      request.on('end', () => {
        this.#serve(request, response, text).catch((error: unknown) => {
          this.violations.push(String(error));
          response.destroy();
        });
      });
    });
  }

  static async start(options: StandInOptions): Promise<EngineStandIn> {
    const engine = new EngineStandIn(options);
    engine.#server.listen(0, '127.0.0.1');
    await once(engine.#server, 'listening');
    engine.url = `http://127.0.0.1:${(engine.#server.address() as AddressInfo).port}`;
    return engine;
  }

  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  failNext(leg: LegKind | 'tokenize', ...faults: Fault[]): void {
    this.faults.set(leg, [...(this.faults.get(leg) ?? []), ...faults]);
  }

  legsOf(kind: LegKind): LegSeen[] {
    return this.legs.filter((leg) => leg.kind === kind);
  }

  async #serve(request: IncomingMessage, response: ServerResponse, text: string): Promise<void> {
    const path = request.url ?? '';
    const body = JSON.parse(text) as Record<string, unknown>;
    if (path === '/tokenize') {
      this.tokenized += 1;
      this.tokenizeBody = body;
      await this.gates.get('tokenize');
      const fault = this.faults.get('tokenize')?.shift();
      if (fault === undefined) this.#tokenize(body, response);
      else this.#misbehave(fault, response);
      return;
    }
    const requestId = String(request.headers['x-request-id']);
    const kind = this.#kindOf(path, body, requestId);
    this.legs.push({ kind, path, body, headers: request.headers });
    await this.gates.get(kind);
    if (response.destroyed) return;
    const fault = this.faults.get(kind)?.shift();
    if (fault !== undefined && this.#misbehave(fault, response)) return;
    await this.#answer(kind, path, body, requestId, response, fault);
  }

  #tokenize(body: Record<string, unknown>, response: ServerResponse): void {
    const prompt = promptText(body);
    const tokens = [...prompt].map((char) => char.codePointAt(0) ?? 0);
    json(response, 200, {
      count: tokens.length,
      max_model_len: this.#options.windowTokens ?? 8_192,
      tokens,
    });
  }

  #kindOf(path: string, body: Record<string, unknown>, requestId: string): LegKind {
    const params = body['kv_transfer_params'] as Record<string, unknown> | undefined;
    const ours = params?.['baton'] as Record<string, unknown> | undefined;
    const complain = (what: string) => this.violations.push(`${this.workerId} ${path}: ${what}`);
    const { vllm, sglang } = this.#options;
    if (vllm !== undefined) return vllmLegOf(body, requestId, vllm, complain);
    if (sglang !== undefined) return sglangLegOf(body, this.workerId, sglang, complain);
    if (params === undefined || ours === undefined) {
      complain('no kv_transfer_params.baton');
      return 'aggregated';
    }
    const flags = [params['do_remote_decode'], params['do_remote_prefill']];
    if (!flags.every((flag) => typeof flag === 'boolean')) complain('flags are no booleans');
    if (typeof ours['plan_id'] !== 'string') complain('no plan_id');
    const [isPrefill, isDecode] = flags;
    const kind: LegKind =
      isPrefill === true
        ? 'prefill'
        : isDecode === true
          ? 'decode'
          : 'resume_token_ids' in ours
            ? 'resume'
            : 'aggregated';
    const allowed: Record<LegKind, string[]> = {
      prefill: ['plan_id', 'decode_held_tokens', 'prefix_tokens'],
      decode: ['plan_id'],
      resume: ['plan_id', 'resume_token_ids'],
      aggregated: ['plan_id', 'prefix_tokens'],
    };
    if (Object.keys(ours).sort().join() !== allowed[kind].sort().join()) {
      complain(`${kind} leg with ${Object.keys(ours).join()}`);
    }
    if (path.endsWith('/v1/completions') && this.#options.takesTokens !== false) {
      if (!isTokenIds(body['prompt'])) complain('the prompt is to be tokenized again');
      if ('add_special_tokens' in body) complain('add_special_tokens beside token ids');
    }
    if (kind === 'prefill') {
      if (body['stream'] !== false || body['max_tokens'] !== 1) complain('prefill not cut to one');
      if ('stream_options' in body || 'max_completion_tokens' in body) complain('prefill limits');
      if (body['return_token_ids'] !== true) complain('prefill without return_token_ids');
    } else if (body['stream'] === true) {
      const options = body['stream_options'] as Record<string, unknown> | undefined;
      if (options?.['include_usage'] !== true) complain('stream without usage');
    }
    return kind;
  }

  /** True when the answer is done with. */
  #misbehave(fault: Fault, response: ServerResponse): boolean {
    if (fault.kind === 'status') {
      const { status, code, param } = fault;
      json(response, status, { error: { message: `fault ${status}`, code, param } });
      return true;
    }
    if (fault.kind === 'reset') response.socket?.resetAndDestroy();
    return fault.kind === 'reset' || fault.kind === 'hang';
  }

  async #answer(
    kind: LegKind,
    path: string,
    body: Record<string, unknown>,
    requestId: string,
    response: ServerResponse,
    fault: Fault | undefined,
  ): Promise<void> {
    const output = this.#output(kind, path, body, requestId, fault);
    const { sglang, vllm } = this.#options;
    if (sglang !== undefined) await sglang.met(kind, body);
    else if (kind === 'decode' && vllm === undefined) {
      await this.#options.handovers.taken(output.planId);
    }
    if (response.destroyed) return;
    if (fault?.kind === 'reset at the end') {
      await fault.until;
      return void response.socket?.resetAndDestroy();
    }
    if (body['stream'] !== true) {
      json(response, 200, renderWhole(output, fault));
      // An answer that ended has nothing to hand over: its decode leg waits until it is aborted.
      if (kind === 'prefill' && output.reason === 'length') {
        this.#options.handovers.give(output.planId);
      }
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of renderChunks(output, fault)) {
      if (response.destroyed) return;
      await this.#write(response, Buffer.from(event));
      this.chunks += 1;
    }
    if (fault?.kind === 'cut') response.destroy();
    else if (fault?.kind !== 'stall') response.end();
  }

  async #write(response: ServerResponse, bytes: Buffer): Promise<void> {
    const step = this.#options.writeBytes ?? bytes.length;
    for (let at = 0; at < bytes.length; at += step) {
      const taken = response.write(bytes.subarray(at, at + step));
      if (!taken && !response.destroyed) {
        await new Promise<void>((resolve) => {
          response.once('drain', resolve).once('close', resolve);
        });
      }
      await new Promise(setImmediate);
    }
  }

  #output(
    kind: LegKind,
    path: string,
    body: Record<string, unknown>,
    requestId: string,
    fault: Fault | undefined,
  ): Output {
    const { vllm, sglang } = this.#options;
    const params = body['kv_transfer_params'] as { baton?: Record<string, unknown> } | undefined;
    const prompt = promptText(body);
    const promptTokens = Array.isArray(body['prompt']) ? body['prompt'].length : [...prompt].length;
    const wanted = Number(body['max_completion_tokens'] ?? body['max_tokens'] ?? 16);
    const words = fault?.kind === 'stop at first' ? 1 : (this.#options.words ?? 6);
    const gaveUp = fault?.kind === 'give up';
    const isOwn = vllm === undefined && sglang === undefined;
    // A prefill server of SGLang ends by itself.
    const ends = sglang !== undefined && kind === 'prefill';
    return {
      kind,
      body,
      isChat: path.endsWith('/chat/completions'),
      id: `${this.workerId}-${this.total}`,
      planId: String(params?.baton?.['plan_id'] ?? ''),
      first: isOwn && (kind === 'decode' || kind === 'resume') ? 1 : 0,
      end: ends || gaveUp ? 1 : Math.min(wanted, words),
      reason: gaveUp ? 'abort' : ends || wanted < words ? 'length' : 'stop',
      promptTokens,
      padding: 'p'.repeat(this.#options.padding ?? 0),
      ...(sglang !== undefined && { nixlParams: null }),
      ...(vllm !== undefined && {
        nixlParams:
          kind === 'prefill' && fault?.kind !== 'stop at first'
            ? { ...vllm.give(this.workerId, requestId, promptTokens), ...this.spoilParams }
            : null,
      }),
    };
  }
}

function isTokenIds(prompt: unknown): boolean {
  return Array.isArray(prompt) && prompt.every((id) => typeof id === 'number');
}

function promptText(body: Record<string, unknown>): string {
  const { messages, prompt } = body;
  if (typeof prompt === 'string') return prompt;
  if (!Array.isArray(messages)) return '';
  return messages.map(({ role, content }) => `${role}: ${content}\n`).join('');
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
