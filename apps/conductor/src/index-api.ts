import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import type { CoreView, WorkerKnowledge } from '@baton/core';
import { errorEntry, KEY_BYTES, keyHex, tierName, tiers, type Tier } from '@baton/kv';
import type { FastifyInstance } from 'fastify';

/** Keys of one lookup: a million tokens at the smallest segment. */
const MAX_LOOKUP_KEYS = 16_384;
const KEYS_AT_ONCE = 1_024;

/**
 * What the index holds, for people and `baton index`: `POST /index/lookup` takes the packed keys of a prompt and says
 * who holds which of its segments, `GET /index/dump` streams every replica as a line of JSON.
 */
export function indexApi(app: FastifyInstance, view: CoreView): void {
  const bodyLimit = MAX_LOOKUP_KEYS * KEY_BYTES;
  app.addContentTypeParser(
    'application/octet-stream',
    { parseAs: 'buffer', bodyLimit },
    (_request, body, done) => done(null, body),
  );
  app.post('/index/lookup', { bodyLimit }, (request, reply) => {
    const keys = request.body;
    if (!(keys instanceof Uint8Array) || keys.length % KEY_BYTES !== 0) {
      const message = `the body must be segment keys of ${KEY_BYTES} bytes each, as application/octet-stream`;
      const { openaiType: type } = errorEntry('invalid_request');
      return reply
        .code(400)
        .send({ error: { code: 'invalid_request', message, type, param: null } });
    }
    const { segments, knownSegments, ranks, runs } = view.lookup(keys);
    const named = runs.map((run) => ({ ...run, tier: tierName(run.tier) }));
    return { segments, knownSegments, ranks, runs: named };
  });
  app.get('/index/dump', (_request, reply) => {
    reply.type('application/x-ndjson');
    return reply.send(Readable.from(dumpLines(view), { objectMode: false }));
  });
}

/**
 * One line for each replica, worker by worker; the keys of one tier of one rank are those of one moment. Everything else
 * has its turn between pieces, however fast the client reads.
 */
async function* dumpLines(view: CoreView): AsyncGenerator<string> {
  for (const { workerId, tiers: held } of view.index().workers) {
    for (const { rank, tier, holding } of held) {
      const keys = view.heldKeys(workerId, rank, tierOf(tier), holding);
      for (const piece of linesOf(keys, { workerId, rank, tier, holding })) {
        yield piece;
        await turn();
      }
    }
  }
}

type Place = Pick<WorkerKnowledge, 'workerId'> & { rank: number; tier: string; holding: string };

function* linesOf(keys: Uint8Array, { workerId, rank, tier, holding }: Place): Generator<string> {
  const what = holding === 'kv' ? {} : { holding };
  let text = '';
  for (let at = 0; at < keys.length; at += KEY_BYTES) {
    const key = keyHex(keys.subarray(at, at + KEY_BYTES));
    text += `${JSON.stringify({ worker: workerId, rank, tier, ...what, key })}\n`;
    if (((at / KEY_BYTES) & (KEYS_AT_ONCE - 1)) === KEYS_AT_ONCE - 1) {
      yield text;
      text = '';
    }
  }
  if (text !== '') yield text;
}

function tierOf(name: string): Tier {
  return tiers.find((tier) => tierName(tier) === name) as Tier;
}
