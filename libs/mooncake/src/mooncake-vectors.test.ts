import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { FollowedEngines, stored, type Hash } from './testing/followed-engines.ts';

/** Values that Mooncake's documents and vLLM give. */
const seed = '0';
const chain = {
  blockSize: 4,
  tokens: [1, 2, 3, 4, 5, 6, 7, 8],
  lookupValues: [2164874634404590027n, 17270480062156288726n],
};

const sha256 = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();

function cborInt(major: number, value: number): number[] {
  if (value < 24) return [major | value];
  return value < 256 ? [major | 24, value] : [major | 25, value >> 8, value & 255];
}

/** vLLM's sha256_cbor: a block's digest is that of the canonical CBOR of its parent's, its tokens and null. */
function engineHashes(tokens: readonly number[], blockSize: number): Buffer[] {
  const text = Buffer.from(seed);
  let parent = sha256(Buffer.from([...cborInt(0x60, text.length), ...text]));
  const digests: Buffer[] = [];
  for (let at = 0; at + blockSize <= tokens.length; at += blockSize) {
    const block = tokens.slice(at, at + blockSize);
    const items = block.flatMap((token) => cborInt(0, token));
    const bytes = [0x83, 0x58, 32, ...parent, ...cborInt(0x80, blockSize), ...items, 0xf6];
    parent = sha256(Buffer.from(bytes));
    digests.push(parent);
  }
  return digests;
}

const low64 = (digest: Buffer): bigint => digest.readBigUInt64BE(24);

const registration = {
  endpoint: 'tcp://h:1',
  type: 'vLLM',
  modelname: 'm',
  instance_id: 'a',
  dp_rank: 0,
  hash_profile: {
    strategy: 'vllm_v1',
    algorithm: 'sha256_cbor',
    python_hash_seed: seed,
    index_projection: 'low64_be',
  },
};

test('the low 64 bits of an engine that hashes by sha256_cbor are the values that Mooncake looks up', () => {
  expect(engineHashes(chain.tokens, 4).map(low64)).toEqual(chain.lookupValues);
});

test.each(['as integers', 'as whole digests'])(
  'lookup values find the blocks of an engine that names them %s',
  (form) => {
    const digests = engineHashes(chain.tokens, chain.blockSize);
    const hashes: Hash[] = form === 'as integers' ? digests.map(low64) : digests;
    const engines = new FollowedEngines();
    engines.post('/register', { ...registration, block_size: chain.blockSize });
    engines.publish('tcp://h:1', stored({ hashes, tokens: chain.tokens, blockSize: 4 }));
    const query = `{"model":"m","seq_hashes":[${chain.lookupValues.join()}]}`;
    const hit = { instances: { a: { longest_matched: 8, gpu: 8 } } };
    expect(engines.post('/query_by_hash', query).body).toMatchObject(hit);
    const tokens = { model: 'm', token_ids: chain.tokens };
    expect(engines.post('/query', tokens).body).toMatchObject(hit);
  },
);

/** 2 blocks on the GPU, then one in memory, then one on disk. */
const tiers = { blockSize: 16, gpu: 32, cpu: 48, disk: 64 };

function tiered(mediaOfBlocks: readonly (readonly string[])[]): FollowedEngines {
  const engines = new FollowedEngines();
  engines.post('/register', { ...registration, block_size: tiers.blockSize });
  mediaOfBlocks.forEach((media, i) => {
    for (const medium of media) {
      engines.publish(
        'tcp://h:1',
        stored({
          hashes: [BigInt(i + 1)],
          parent: i === 0 ? undefined : BigInt(i),
          tokens: Array.from({ length: 16 }, () => i),
          blockSize: 16,
          medium,
        }),
      );
    }
  });
  return engines;
}

function matched(engines: FollowedEngines, blocks: number): unknown {
  const token_ids = Array.from({ length: blocks * 16 }, (_, i) => Math.floor(i / 16));
  const { body } = engines.post('/query', { model: 'm', token_ids });
  return (body['instances'] as Record<string, unknown>)['a'];
}

test('tiers are cumulative: 2 blocks on the GPU, 1 in memory, 1 on disk are 32, 48 and 64 tokens', () => {
  const engines = tiered([['GPU'], ['GPU'], ['CPU'], ['DISK']]);
  expect(matched(engines, 4)).toEqual({
    ...{ longest_matched: 64, gpu: 32, cpu: 48, disk: 64, dp: { 0: 32 } },
    rank_matches: { 0: { gpu: 32, cpu: 48, disk: 64 } },
  });
});

test.each([
  ['back up to the GPU', [['GPU'], ['CPU'], ['GPU'], ['CPU']], 16, 32, 32],
  [
    'in two tiers at once',
    [
      ['GPU', 'CPU'],
      ['CPU', 'DISK'],
      ['DISK', 'GPU'],
    ],
    16,
    32,
    48,
  ],
  ['from memory on', [['CPU'], ['CPU'], ['DISK'], ['CPU']], 0, 32, 48],
  ['a hole', [['GPU'], [], ['GPU']], 16, 16, 16],
  ['not the first block', [[], ['GPU']], 0, 0, 0],
  ['an unknown medium', [['TAPE'], ['GPU']], 0, 0, 0],
])('the cursor goes down only: %s', (_what, media, gpu, cpu, disk) => {
  const engines = tiered(media);
  expect(matched(engines, media.length)).toMatchObject({ gpu, cpu, disk, longest_matched: disk });
});

test('a prompt of 40 tokens never has more than 40', () => {
  const engines = tiered([['GPU'], ['GPU'], ['GPU']]);
  const token_ids = Array.from({ length: 40 }, (_, i) => Math.floor(i / 16));
  expect(engines.post('/query', { model: 'm', token_ids }).body).toMatchObject({
    instances: { a: { longest_matched: 32 } },
  });
});
