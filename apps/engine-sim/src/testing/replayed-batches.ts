import { encodeEventSeq, isReplayEnd } from '@baton/engine-protocols';
import { Dealer } from 'zeromq';

/** Frames of the answer to a replay from a number on, the end marker included. */
export async function replayFrames(endpoint: string, from = 0): Promise<Buffer[][]> {
  const socket = new Dealer({ linger: 0 });
  try {
    socket.connect(endpoint);
    await socket.send(['', encodeEventSeq(from)]);
    const replies: Buffer[][] = [];
    for (;;) {
      const reply = await socket.receive();
      replies.push(reply);
      if (isReplayEnd(reply.at(-2) ?? new Uint8Array())) return replies;
    }
  } finally {
    socket.close();
  }
}

/** Batches that an engine has published so far. */
export async function publishedBatches(endpoint: string): Promise<Buffer[]> {
  const replies = await replayFrames(endpoint);
  return replies.slice(0, -1).map((frames) => frames.at(-1) ?? Buffer.alloc(0));
}
