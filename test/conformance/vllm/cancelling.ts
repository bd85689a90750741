import { setTimeout as sleep } from 'node:timers/promises';
import { complete, eventually, randomPrompt } from '@baton/test-kit';
import type { Served } from '../../kit/served.ts';
import { finding, type Check, type Finding } from '../check.ts';
import type { VllmLab } from './lab.ts';
import { MODEL, type RealVllm } from './real-vllm.ts';

/** After the beginning of a request: while prefill computes, about the handover, while decode answers. */
const AFTER_MS = [0, 15, 40, 80, 120, 160, 220, 300, 450, 700];
const ROUNDS = 4;
const FREE_MS = 5_000;
/** vLLM keeps what nobody fetched for 30 s, and looks now and then. */
const LEASE_MS = 60_000;

/** A client that leaves in any phase leaves nothing behind. */
export const cancelling: Check<VllmLab> = {
  name: 'cancelling',
  describes: 'clients that leave in every phase, streamed and whole',
  async run({ pair, prefill, decode }) {
    let left = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const afterMs of AFTER_MS) {
        const abort = new AbortController();
        const prompt = randomPrompt(40_000 + 100 * round + afterMs, 1_200);
        const body = { model: MODEL, prompt, max_tokens: 200, ignore_eos: true };
        const answer = complete(pair.url, { ...body, stream: round % 2 === 0 }, abort.signal).then(
          () => false,
          () => true,
        );
        await sleep(afterMs);
        abort.abort();
        if (await answer) left += 1;
      }
    }
    const findings: Finding[] = [];
    const began = performance.now();
    const freeMs = await eventually(async () => {
      if ((await livePlans(pair)) > 0) throw new Error('plans are live');
      return performance.now() - began;
    }, FREE_MS).catch(() => Infinity);
    const seen = `${left} left, free after ${(freeMs / 1_000).toFixed(1)} s`;
    findings.push(finding('clients that leave: Baton is free within 5 s', freeMs < FREE_MS, seen));
    const used = await eventually(async () => {
      const shares = await Promise.all([prefill, decode].map(usedShare));
      if (shares.some((share) => share > 0)) throw new Error(shares.join());
      return (performance.now() - began) / 1_000;
    }, LEASE_MS).catch(() => Infinity);
    const blocks = `all free after ${used.toFixed(0)} s`;
    const what = "clients that leave: the engines' blocks are free within their lease";
    findings.push(finding(what, used < Infinity, blocks));
    const again = { model: MODEL, prompt: randomPrompt(49_999, 500), max_tokens: 4 };
    const { completionTokens } = await complete(pair.url, { ...again, ignore_eos: true });
    findings.push(finding('and the pair still answers', completionTokens === 4, 'yes'));
    return findings;
  },
};

async function livePlans({ adminUrl }: Served): Promise<number> {
  const answer = await fetch(`${adminUrl()}/plans?limit=1`);
  return ((await answer.json()) as { live: number }).live;
}

async function usedShare(engine: RealVllm): Promise<number> {
  const metrics = await engine.metrics();
  const busy = metrics.get('num_requests_running') ?? 0;
  return busy + (metrics.get('kv_cache_usage_perc') ?? 0);
}
