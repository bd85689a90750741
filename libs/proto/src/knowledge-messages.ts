import type { KvDelta, SnapshotChunk } from '@baton/core';
import type { KvOp, KvOpKind } from '@baton/index';
import { FieldReader, read, type Unusable, type WireNumbers } from './field-reader.ts';
import { baton } from './generated/baton.js';
import { epochFrom, MAX_RANKS, workerIdFrom } from './worker-messages.ts';

const { KvOpKind: WireKind } = baton.v1;

const kinds: WireNumbers<KvOpKind> = {
  store: WireKind.KV_OP_KIND_STORE,
  remove: WireKind.KV_OP_KIND_REMOVE,
  clear: WireKind.KV_OP_KIND_CLEAR,
};

/** One operation that cannot be read makes the delta unusable: without it the rest would be wrong. */
export function readDelta(message: baton.v1.IKvDelta): KvDelta | Unusable {
  return read(() => {
    const delta = new FieldReader(message, 'KvDelta');
    return {
      workerId: workerIdFrom(delta),
      epoch: epochFrom(delta.inner('epoch')),
      seq: delta.whole('seq', 1),
      ops: delta.each('ops').map(opFrom),
    };
  });
}

export function readSnapshotChunk(message: baton.v1.ISnapshotChunk): SnapshotChunk | Unusable {
  return read(() => {
    const chunk = new FieldReader(message, 'SnapshotChunk');
    const count = chunk.whole('count', 1);
    return {
      workerId: workerIdFrom(chunk),
      epoch: epochFrom(chunk.inner('epoch')),
      snapshotId: chunk.whole('snapshotId'),
      index: chunk.whole('index', 0, count - 1),
      count,
      seq: chunk.whole('seq'),
      ops: chunk.each('ops').map(opFrom),
    };
  });
}

function opFrom(op: FieldReader<baton.v1.IKvOp>): KvOp {
  return {
    kind: op.word('kind', kinds),
    tier: op.whole('tier'),
    rank: op.whole('rank', 0, MAX_RANKS - 1),
    keys: op.keys('keys'),
    holding: op.flag('resumePoints') ? 'resumePoints' : 'kv',
  };
}
