import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { complete, eventually, freePort, randomPrompt } from '@baton/test-kit';
import { startServed, type Served } from '../../kit/served.ts';
import { finding, toldToStop, type Check } from '../check.ts';
import { predictedTokens } from './cached-tokens.ts';
import type { VllmInstallation } from './install.ts';
import { BLOCK_TOKENS, KV_BYTES_PER_TOKEN, MODEL, RealVllm } from './real-vllm.ts';

const RANKS = 2;
const BLOCKS = 512;
const PROMPTS = 20;
const PROMPT_TOKENS = 500;
const HEARD_MS = 300;
const SETTLED_MS = 10_000;
const body = { model: MODEL, temperature: 0, ignore_eos: true, max_tokens: 8 };

/** One real vLLM server with several data-parallel ranks, and `baton serve` in front of it. */
export interface RanksLab {
  engine: RealVllm;
  served: Served;
}

export async function withRanksLab(
  installation: VllmInstallation,
  say: (line: string) => void,
  signal: AbortSignal,
  use: (lab: RanksLab) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'conformance-vllm-'));
  say(`logs are in ${folder}`);
  const flags = ['--data-parallel-size', String(RANKS)];
  const own = { name: 'ranks', installation, folder, blocks: BLOCKS, flags };
  const engine = await RealVllm.begin(own);
  const aborted = toldToStop(signal);
  let served: Served | undefined;
  try {
    await Promise.race([engine.healthy(), aborted]);
    const command = ['serve', '--kv-bytes-per-token', String(KV_BYTES_PER_TOKEN)];
    served = await startServed([...command, '--worker', engine.url], {
      ...{ port: await freePort(), engines: 1 },
    });
    await Promise.race([use({ engine, served }), aborted]);
  } finally {
    await served?.stop();
    if (served !== undefined) writeFileSync(path.join(folder, 'serve.log'), served.output());
    await engine.stop();
  }
}

/** A rank is planned by what it holds, and asked by its number. */
export const ranks: Check<RanksLab> = {
  name: 'ranks',
  describes: `${PROMPTS} prompts, each twice, on ${RANKS} data-parallel ranks behind one URL`,
  async run({ engine, served }) {
    let equal = 0;
    let found = 0;
    const wrong: string[] = [];
    for (let i = 0; i < PROMPTS; i += 1) {
      const prompt = randomPrompt(80_000 + i, PROMPT_TOKENS);
      const alone = await complete(engine.url, { ...body, prompt, cache_salt: 'alone' });
      // Some at once, so that a rank with nothing to do is better than one that is busy.
      const others = [0, 1].map((n) =>
        complete(served.url, { ...body, prompt: randomPrompt(90_000 + 2 * i + n, PROMPT_TOKENS) }),
      );
      const [first] = await Promise.all([complete(served.url, { ...body, prompt }), ...others]);
      await sleep(HEARD_MS);
      const again = await complete(served.url, { ...body, prompt });
      const predicted = await predictedTokens(served, again.headers.get('x-baton-plan-id') ?? '');
      const isEqual = [first, again].every(
        ({ tokenIds }) => tokenIds.join() === alone.tokenIds.join(),
      );
      if (isEqual) equal += 1;
      const most = Math.floor((PROMPT_TOKENS - 1) / BLOCK_TOKENS) * BLOCK_TOKENS;
      if (again.cachedTokens === most && predicted > 0 && predicted <= most) found += 1;
      else wrong.push(`${predicted} → ${again.cachedTokens}`);
    }
    const tokens = await promptTokens(engine);
    const isExact = (of: HeldTier[]): boolean =>
      of.length === RANKS && of.every(({ same }) => same);
    // The engine's last word may be on its way, and a rank says every second how much it holds.
    let held: HeldTier[] = [];
    await eventually(async () => {
      held = await heldTiers(served);
      return isExact(held);
    }, SETTLED_MS).catch(() => undefined);
    return [
      finding(
        'ranks: answers are those of the engine itself',
        equal === PROMPTS,
        `${equal} of ${PROMPTS}`,
      ),
      finding(
        'the rank that holds a prompt is asked for it',
        found === PROMPTS,
        `${found} of ${PROMPTS}${wrong.length > 0 ? `: ${wrong.slice(0, 4).join(', ')}` : ''}`,
      ),
      finding(
        'all ranks compute',
        tokens.length === RANKS && tokens.every((count) => count > 0),
        `${tokens.join(' and ')} prompt tokens`,
      ),
      finding(
        'the index of each rank is exact',
        isExact(held),
        held.map(({ rank, segments }) => `rank ${rank}: ${segments} segments`).join(', '),
      ),
    ];
  },
};

interface HeldTier {
  rank: number;
  segments: number;
  /** The index and the engine agree in count and XOR. */
  same: boolean;
}

async function heldTiers({ adminUrl }: Served): Promise<HeldTier[]> {
  const answer = await fetch(`${adminUrl()}/workers`);
  const { workers } = (await answer.json()) as { workers: { tiers: HeldTier[] }[] };
  return (workers[0]?.tiers ?? []).filter(({ segments }) => segments > 0);
}

/** Of each rank, since it began. */
async function promptTokens({ url }: RealVllm): Promise<number[]> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const samples = text.matchAll(/^vllm:prompt_tokens_total\{engine="\d+".*\} (\S+)$/gm);
  return [...samples].map(([, value]) => Number(value));
}
