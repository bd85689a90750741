import { encodeEventSeq } from '@baton/engine-protocols';
import { SeededRandom } from '@baton/kv';
import { encode } from '@msgpack/msgpack';

/** Tokens of a block. */
export const BLOCK_TOKENS = 16;
const BLOCKS_PER_EVENT = 32;
const EVENTS_PER_MESSAGE = 4;
/** A sequence is a prompt of 8,192 tokens. */
export const SEQUENCE_BLOCKS = 512;
const FIRST_MARKER = 1_000_000;
const VOCABULARY = 128_000;

export interface IndexerLoadOptions {
  workers: number;
  sequencesPerWorker: number;
  /** Sequences that are kept to be asked for. */
  kept: number;
  seed: number;
}

/** What engines publish, in the frames of their messages, and prompts to ask for afterwards. */
export interface IndexerLoad {
  workers: number;
  blocks: number;
  /** By worker. */
  messages: Uint8Array[][][];
  /** A prompt of one block that only this worker has, and that is the last thing that it publishes. */
  marker(worker: number): number[];
  kept: { worker: number; tokens: Uint32Array }[];
}

/**
 * As many engines as there are workers, each storing prompts of its own as vLLM's array events, with names that chain
 * nothing that anybody could compute.
 */
export function indexerLoad(options: IndexerLoadOptions): IndexerLoad {
  const { workers, sequencesPerWorker, kept: keptCount } = options;
  const random = new SeededRandom(options.seed);
  const kept: IndexerLoad['kept'] = [];
  const keptEach = Math.ceil(keptCount / workers);
  const marker = (worker: number): number[] =>
    Array.from({ length: BLOCK_TOKENS }, () => FIRST_MARKER + worker);
  const messages = Array.from({ length: workers }, (_, worker) => {
    const events: unknown[] = [];
    for (let sequence = 0; sequence < sequencesPerWorker; sequence += 1) {
      const tokens = Uint32Array.from(
        { length: SEQUENCE_BLOCKS * BLOCK_TOKENS },
        () => 5 + random.below(VOCABULARY - 5),
      );
      if (sequence < keptEach) kept.push({ worker, tokens });
      events.push(...sequenceEvents(tokens, random));
    }
    const name = BigInt(7_000_000 + worker);
    events.push(['BlockStored', [name], null, marker(worker), BLOCK_TOKENS, null, 'GPU']);
    return framed(events);
  });
  const blocks = workers * (sequencesPerWorker * SEQUENCE_BLOCKS + 1);
  return { workers, blocks, messages, marker, kept: kept.slice(0, keptCount) };
}

function sequenceEvents(tokens: Uint32Array, random: SeededRandom): unknown[] {
  const names = Array.from(
    { length: SEQUENCE_BLOCKS },
    () => (BigInt(random.below(2 ** 32)) << 32n) | BigInt(random.below(2 ** 32)),
  );
  const events: unknown[] = [];
  for (let block = 0; block < SEQUENCE_BLOCKS; block += BLOCKS_PER_EVENT) {
    const end = block + BLOCKS_PER_EVENT;
    events.push([
      'BlockStored',
      names.slice(block, end),
      block === 0 ? null : names[block - 1],
      Array.from(tokens.subarray(block * BLOCK_TOKENS, end * BLOCK_TOKENS)),
      BLOCK_TOKENS,
      null,
      'GPU',
    ]);
  }
  return events;
}

/** Topic, sequence number, batch. */
function framed(events: readonly unknown[]): Uint8Array[][] {
  const messages: Uint8Array[][] = [];
  for (let at = 0; at < events.length; at += EVENTS_PER_MESSAGE) {
    const seq = encodeEventSeq(messages.length);
    const batch = [1.5, events.slice(at, at + EVENTS_PER_MESSAGE), 0];
    messages.push([Buffer.alloc(0), seq, encode(batch, { useBigInt64: true })]);
  }
  return messages;
}
