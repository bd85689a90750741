import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { heavyKvModel, writeTinyModel } from '@baton/llama';
import { complete, randomText, startService, type Completion } from '@baton/test-kit';
import { MODEL, startFleet, testModel } from '../kit/fleet.ts';
import type { Figure, Suite } from './report.ts';
import { median, medianInterval } from './statistics.ts';

const PAIRS = 100;
const WARM_UP = 5;
const PROMPT_TOKENS = 330;
const SHORT_PROMPT_TOKENS = 100;
const OUTPUT_TOKENS = 128;
const HEAVY_PAIRS = 5;
const HEAVY_PROMPT_TOKENS = 4_000;
const HEAVY_ARENA_BYTES = 1024 * 1024 * 1024;

type Run = [say: (line: string) => void, signal: AbortSignal];

interface Pair {
  direct: Completion;
  baton: Completion;
}

/** The whole path against the same engine called directly, in alternating pairs of new prompts. */
export const pathSuite: Suite = {
  name: 'path',
  describes: 'the whole disaggregated path against the same engine called directly',
  async run(say, { signal }) {
    return [...(await generatedModel(say, signal)), ...(await heavyModel(say, signal))];
  },
};

async function generatedModel(...[say, signal]: Run): Promise<Figure[]> {
  const sides = await startSides(await testModel());
  try {
    const long = await pairs(sides, { count: PAIRS, promptTokens: PROMPT_TOKENS, say, signal });
    const short = await pairs(sides, {
      count: PAIRS,
      promptTokens: SHORT_PROMPT_TOKENS,
      say,
      signal,
    });
    const ttft = medianInterval(long.map(({ direct, baton }) => added(direct, baton)));
    const gateway = medianInterval(short.map(({ direct, baton }) => added(direct, baton)));
    say(`added TTFT, disaggregated: ${interval(ttft)} ms; gateway alone: ${interval(gateway)} ms`);
    const rates = long.map(({ direct, baton }) => rate(baton) / rate(direct));
    return [
      ...withInterval('path.ttft_added_ms', 'ms', ttft),
      {
        name: 'path.ttft_ms',
        unit: 'ms',
        ...against(
          median(long.map(({ baton }) => baton.firstTokenMs)),
          median(long.map(({ direct }) => direct.firstTokenMs)),
        ),
      },
      ...withInterval('path.gateway_added_ms', 'ms', gateway),
      { name: 'path.tokens_per_s_ratio', value: median(rates), unit: 'ratio' },
      {
        name: 'path.tokens_per_s',
        unit: 'tokens/s',
        ...against(
          median(long.map(({ baton }) => rate(baton))),
          median(long.map(({ direct }) => rate(direct))),
        ),
      },
    ];
  } finally {
    await sides.stop();
  }
}

/** KV of 64 KiB a token: what handover adds until decode has spoken, against one engine doing both. */
async function heavyModel(...[say, signal]: Run): Promise<Figure[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'baton-bench-'));
  const model = path.join(folder, 'heavy.gguf');
  writeTinyModel(model, heavyKvModel);
  let sides: Sides | undefined;
  try {
    sides = await startSides(model, ['--dram-bytes', String(HEAVY_ARENA_BYTES)]);
    const results = await pairs(sides, {
      count: HEAVY_PAIRS,
      promptTokens: HEAVY_PROMPT_TOKENS,
      outputTokens: 8,
      warmUp: 1,
      say,
      signal,
    });
    const prefill = median(results.map(({ direct }) => direct.firstTokenMs));
    const differences = results.map(
      ({ direct, baton }) => baton.secondTokenMs - direct.secondTokenMs,
    );
    const handover = medianInterval(differences);
    // The same without the noise of the prefill: from the first token to the second, where handover is not hidden.
    const gaps = results.map(({ direct, baton }) => gapMs(baton) - gapMs(direct));
    say(`handover of 4,000 tokens adds ${interval(handover)} ms to a prefill of ${prefill} ms`);
    return [
      {
        ...withInterval('path.handover_added_ms', 'ms', handover)[0],
        baseline: prefill,
        ratio: handover.median / prefill,
      } as Figure,
      ...withInterval('path.handover_added_ms', 'ms', handover).slice(1),
      ...withInterval('path.handover_unhidden_ms', 'ms', medianInterval(gaps)),
    ];
  } finally {
    await sides?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Sides {
  /** Base URLs. */
  direct: string;
  baton: string;
  stop(): Promise<void>;
}

/**
 * A fleet of one prefill and one decode worker, and an engine of the same kind beside it that only the direct requests
 * go to: each engine that computes prompts sees as many of them, and their caches fill alike.
 */
async function startSides(model: string, agentArgs: readonly string[] = []): Promise<Sides> {
  const args = ['--model', model, '--model-name', MODEL, '--threads', '1'];
  const [fleet, engine] = await Promise.all([
    startFleet({ prefill: 1, decode: 1, model, agentArgs: () => agentArgs }),
    startService('engine', 'engine alone', args),
  ]);
  return {
    direct: engine.endpoints['http'] ?? '',
    baton: fleet.url,
    stop: async () => {
      await Promise.all([fleet.stop(), engine.stop()]);
    },
  };
}

let nextSeed = 1;

async function pairs(
  sides: Sides,
  options: {
    count: number;
    promptTokens: number;
    outputTokens?: number;
    warmUp?: number;
    say: (line: string) => void;
    signal: AbortSignal;
  },
): Promise<Pair[]> {
  const {
    count,
    promptTokens,
    outputTokens = OUTPUT_TOKENS,
    warmUp = WARM_UP,
    say,
    signal,
  } = options;
  const ask = (url: string): Promise<Completion> =>
    complete(
      url,
      {
        model: MODEL,
        prompt: randomText(nextSeed++, promptTokens),
        max_tokens: outputTokens,
        ignore_eos: true,
        temperature: 0,
        stream: true,
      },
      signal,
    );
  const results: Pair[] = [];
  for (let i = 0; i < warmUp + count; i++) {
    const isDirectFirst = i % 2 === 0;
    const first = await ask(isDirectFirst ? sides.direct : sides.baton);
    const second = await ask(isDirectFirst ? sides.baton : sides.direct);
    const pair = isDirectFirst
      ? { direct: first, baton: second }
      : { direct: second, baton: first };
    if (i >= warmUp) results.push(pair);
    if ((i + 1) % 20 === 0) say(`${promptTokens} tokens: ${i + 1} of ${warmUp + count} pairs`);
  }
  return results;
}

const added = (direct: Completion, baton: Completion): number =>
  baton.firstTokenMs - direct.firstTokenMs;

const gapMs = ({ firstTokenMs, secondTokenMs }: Completion): number => secondTokenMs - firstTokenMs;

const rate = (completion: Completion): number =>
  ((completion.completionTokens - 1) / (completion.endMs - completion.firstTokenMs)) * 1_000;

const against = (value: number, baseline: number) => ({ value, baseline, ratio: value / baseline });

const interval = ({ median, low, high }: ReturnType<typeof medianInterval>): string =>
  `${median.toFixed(2)} [${low.toFixed(2)}, ${high.toFixed(2)}]`;

function withInterval(
  name: string,
  unit: string,
  value: ReturnType<typeof medianInterval>,
): Figure[] {
  return [
    { name, value: value.median, unit },
    { name: `${name}.ci_low`, value: value.low, unit },
    { name: `${name}.ci_high`, value: value.high, unit },
  ];
}
