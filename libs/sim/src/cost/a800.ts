import type { DecodeBatch, EngineCost, PromptPiece } from './engine-cost.ts';

/** LLaMA-3-70B as in Table 1 of Mooncake's FAST'25 paper. */
const LAYERS = 80;
const MODEL_DIMENSION = 8_192;
/** Coefficients of attention and of the linear layers in the paper's count of floating point operations. */
const ATTENTION = 4;
const LINEAR = 22;
/** Eight A800: 312 TFLOPS each. */
const FLOPS_PER_MS = (8 * 312e12) / 1_000;
/** Weights that a decode step reads, and what reads them: eight times 2 TB/s. */
const WEIGHT_BYTES = 140e9;
const MEMORY_BYTES_PER_MS = 16e12 / 1_000;
/** Share of the memory's rate that a decode step reaches. */
const MEMORY_USE = 0.6;
const KV_BYTES_PER_TOKEN = 320 * 1_024;
/** The paper's chunks are "larger than 1000 tokens". By this cost model a chunk's size changes no prompt's own time. */
const CHUNK_TOKENS = 1_024;

/**
 * A node of eight A800 with a 70B model, by the cost model of Mooncake's FAST'25 paper: flops = l · (4n²d + 22nd²); a
 * prefix that is there saves its own share. The paper has no decode step: this one reads the weights and the KV of the
 * batch once.
 *
 * @param mfu share of the peak that a prefill reaches
 */
export function a800({ mfu = 0.5 } = {}): EngineCost {
  const rate = FLOPS_PER_MS * mfu;
  const prefillMs = (newTokens: number, contextTokens: number): number =>
    (flops(contextTokens + newTokens) - flops(contextTokens)) / rate;
  return {
    name: 'a800',
    strictOrder: true,
    kvBytesPerToken: KV_BYTES_PER_TOKEN,
    chunkTokens: CHUNK_TOKENS,
    firstToken: 'prefill',
    prefillMs,
    prefillStepMs(pieces: readonly PromptPiece[]): number {
      return pieces.reduce(
        (sum, piece) => sum + prefillMs(piece.newTokens, piece.contextTokens),
        0,
      );
    },
    decodeStepMs({ kvTokens }: DecodeBatch): number {
      return (WEIGHT_BYTES + KV_BYTES_PER_TOKEN * kvTokens) / (MEMORY_BYTES_PER_MS * MEMORY_USE);
    },
  };
}

function flops(tokens: number): number {
  const d = MODEL_DIMENSION;
  return LAYERS * (ATTENTION * tokens * tokens * d + LINEAR * tokens * d * d);
}
