import type { FastifyReply } from 'fastify';
import { BatonError, toBatonError } from '@baton/kv';
import { DONE, encodeEvent, errorBody, SSE_CONTENT_TYPE } from '@baton/openai';
import { Generation } from '../generation/generation.ts';
import type { OutputDelta } from '../generation/generation.ts';
import { RequestRun } from '../generation/request-run.ts';
import type { AnswerContext, AnswerFormat, WholeOutput } from './answer-format.ts';
import { ChatFormat } from './chat-format.ts';
import { CompletionFormat } from './completion-format.ts';
import type { FrontContext } from './front-context.ts';
import type { GenerationCall } from './read-request.ts';

/**
 * Runs a call and answers it. Nothing is written before the first output, so that whatever goes wrong until then has
 * its own status. `signal` is aborted when the client goes away.
 */
export async function answer(
  call: GenerationCall,
  front: FrontContext,
  reply: FastifyReply,
  signal: AbortSignal,
): Promise<object | undefined> {
  if (signal.aborted) throw new BatonError('request_aborted');
  const run = new RequestRun(call.run, front.runs);
  const { modelName, pieces } = front;
  const created = Math.floor(front.now() / 1000);
  const format = formatOf({ call, run, pieces, modelName, created });
  const deltas = new Generation(run, pieces, call.stops).deltas();
  const abort = (): void => run.abort();
  signal.addEventListener('abort', abort);
  try {
    run.begin();
    if (!call.stream) return format.whole(await collect(deltas));
    await stream(deltas, format, call.includeUsage, reply);
    return undefined;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

function formatOf(context: AnswerContext): AnswerFormat {
  return context.call.api === 'chat' ? new ChatFormat(context) : new CompletionFormat(context);
}

async function collect(deltas: AsyncGenerator<OutputDelta, void>): Promise<WholeOutput> {
  const whole: WholeOutput = { text: '', tokens: [], finish: { reason: 'stop', stopReason: null } };
  for await (const { text, tokens, finish } of deltas) {
    whole.text += text;
    whole.tokens.push(...tokens);
    if (finish) whole.finish = finish;
  }
  return whole;
}

async function stream(
  deltas: AsyncGenerator<OutputDelta, void>,
  format: AnswerFormat,
  includeUsage: boolean,
  reply: FastifyReply,
): Promise<void> {
  let next = await deltas.next();
  const { raw } = reply.hijack();
  const write = (event: string): unknown => raw.destroyed || raw.write(event);
  for (const [name, value] of Object.entries(reply.getHeaders())) raw.setHeader(name, value ?? '');
  raw.writeHead(200, { 'content-type': SSE_CONTENT_TYPE, 'cache-control': 'no-cache' });
  try {
    while (!next.done) {
      const events = format.chunks(next.value).map((chunk) => encodeEvent(JSON.stringify(chunk)));
      write(events.join(''));
      next = await deltas.next();
    }
    if (includeUsage) write(encodeEvent(JSON.stringify(format.usageChunk())));
  } catch (error) {
    write(encodeEvent(JSON.stringify(errorBody(toBatonError(error)))));
  }
  write(encodeEvent(DONE));
  raw.end();
}
