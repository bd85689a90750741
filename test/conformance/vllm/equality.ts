import { complete, randomPrompt } from '@baton/test-kit';
import { finding, type Check } from '../check.ts';
import type { VllmLab } from './lab.ts';
import { MODEL, type RealVllm } from './real-vllm.ts';

const PROMPTS = 40;
const LONGEST = 1_600;
const body = { model: MODEL, temperature: 0, ignore_eos: true, max_tokens: 16 };

/** One request at a time, float32: what was handed over gives the tokens of who computed it all. */
export const equality: Check<VllmLab> = {
  name: 'equality',
  describes: 'tokens of disaggregated answers against those of one engine alone, one at a time',
  async run({ connector, pair, prefill, decode }) {
    const before = await received(prefill, decode);
    let equal = 0;
    let handedOver = 0;
    for (let i = 0; i < PROMPTS; i += 1) {
      const prompt = randomPrompt(900 + i, 3 + Math.floor((i * LONGEST) / PROMPTS));
      const own = { ...body, prompt };
      const alone = await complete(prefill.url, { ...own, cache_salt: 'alone' });
      const answer = await complete(pair.url, { ...own, stream: i % 2 === 0 });
      const { headers } = answer;
      if (headers.get('x-baton-prefill-worker') !== headers.get('x-baton-decode-worker')) {
        handedOver += 1;
      }
      if (answer.tokenIds.join() === alone.tokenIds.join()) equal += 1;
    }
    const after = await received(prefill, decode);
    const moved = { tokens: after.tokens - before.tokens, bytes: after.bytes - before.bytes };
    const trace = await pair.baton('trace', 'last');
    return [
      finding(
        `token for token: disaggregated by ${connector} and aggregated`,
        equal === PROMPTS && handedOver > PROMPTS / 2,
        `${equal} of ${PROMPTS} equal, ${handedOver} handed over`,
      ),
      finding(
        'decode received it',
        moved.tokens > 0 && (!/Nixl/.test(connector) || moved.bytes > 0),
        `${moved.tokens} prompt tokens${moved.bytes > 0 ? `, ${(moved.bytes / 1e6).toFixed(1)} MB by NIXL` : ''}`,
      ),
      finding(
        'the trace shows the handover',
        /kv\.handover .* (nixl|mooncake)/.test(trace),
        /kv\.handover.*/.exec(trace)?.[0].trim() ?? 'no span of it',
      ),
    ];
  },
};

/** What decode took over; bytes are counted by who moves them, with push by prefill. */
async function received(
  prefill: RealVllm,
  decode: RealVllm,
): Promise<{ tokens: number; bytes: number }> {
  const [ofPrefill, ofDecode] = await Promise.all([prefill.metrics(), decode.metrics()]);
  const bytes = [ofPrefill, ofDecode].map((of) => of.get('nixl_bytes_transferred_sum') ?? 0);
  return {
    tokens: ofDecode.get('prompt_tokens_by_source_total{source="external_kv_transfer"}') ?? 0,
    bytes: bytes.reduce((sum, of) => sum + of, 0),
  };
}
