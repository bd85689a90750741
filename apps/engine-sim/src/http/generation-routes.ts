import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Leg } from '../faults/fault.ts';
import { answer } from './answer.ts';
import type { Front } from './front.ts';
import { readCall, type Api, type Call } from './read-call.ts';
import { EngineError } from './engine-error.ts';

const SCALE_OUT_OFF =
  'Scale-out endpoints are disabled. Restart vllm serve with --enable-scale-out to enable them.';

export function addGenerationRoutes(server: FastifyInstance, front: Front): void {
  const add = (path: string, api: Api): void => {
    server.post(path, (request, reply) => generate(api, request, reply, front));
  };
  add('/v1/completions', 'completion');
  add('/v1/chat/completions', 'chat');
}

/** What a vLLM has that was started with --enable-scale-out, and this one was not. */
export function addScaleOutRoutes(server: FastifyInstance): void {
  const off = ['/inference/v1/generate', '/v1/completions/render', '/v1/chat/completions/render'];
  for (const path of off) {
    server.post(path, () => {
      throw new EngineError(403, SCALE_OUT_OFF);
    });
  }
}

async function generate(
  api: Api,
  request: FastifyRequest,
  reply: FastifyReply,
  server: Front,
): Promise<void> {
  const front = server.ofRequest?.(request.body) ?? server;
  const { death } = front.engine;
  if (death !== undefined) throw new EngineError(death.status, death.message, null, death.type);
  front.open.count += 1;
  reply.raw.once('close', () => (front.open.count -= 1));
  if (await misbehave(front.dialect.legOf(request.body), reply, front)) return;
  const call: Call = readCall(api, request.body, idOf(request), front);
  reply.hijack();
  await answer(call, front, reply);
}

/** True when the request is done with. @throws EngineError for an answer that is no success. */
async function misbehave(leg: Leg, reply: FastifyReply, front: Front): Promise<boolean> {
  const fault = front.faults.take(['hang', 'reset', 'status', 'delay'], leg);
  if (fault === undefined) return false;
  if (fault.kind === 'status') {
    if (fault.retryAfterSec !== undefined) reply.header('retry-after', fault.retryAfterSec);
    throw new EngineError(fault.status, `A stand-in was told to answer ${fault.status}.`);
  }
  if (fault.kind === 'delay') {
    const { clock } = front;
    await new Promise<void>((resolve) => clock.at(clock.now() + fault.delayMs, resolve));
    return false;
  }
  reply.hijack();
  if (fault.kind === 'reset') reply.raw.socket?.resetAndDestroy();
  return true;
}

function idOf(request: FastifyRequest): string | undefined {
  const id = request.headers['x-request-id'];
  return typeof id === 'string' && id !== '' ? id : undefined;
}
