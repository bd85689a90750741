import { randomInt } from 'node:crypto';
import { BatonError } from '@baton/kv';
import { chooseTokenizer, tokenize } from '../index/fleet-tokenizer.ts';
import { askConductor } from '../index/index-target.ts';
import { field, list } from '../json-fields.ts';
import { formatCount, formatMs } from '../render/quantities.ts';
import { printable, type Paint } from '../render/terminal-text.ts';
import { demoLoad, loadSizeFor, tokensOf, wordsOf, type LoadSize } from './demo-load.ts';
import { demoLines, reusedTokens, type DemoReport, type DemoRun } from './demo-view.ts';
import { countedBetween, settledCounters, type CountedFleet } from './fleet-counters.ts';
import { holdPolicy, type HeldPolicy, type Treatment } from './held-policy.ts';
import { runLoad } from './run-load.ts';

/** In which both runs should be over. */
const LIMIT_SEC = 50;
const RANDOM_STEPS = 2 ** 32;

/** As each is used where it comes from: routers hand requests to engines at once. */
const treatments: readonly [Treatment, Treatment] = [
  { policy: 'round-robin', queue: 'immediate' },
  { policy: 'kv-centric', queue: 'shortest' },
];

/** Its tokens are what prompts are made of. */
const TEXT =
  'The conductor raises a baton and the strings begin, quiet at first, then joined by flutes, horns and drums. ' +
  'Every player reads from one score, yet nobody plays all of it; what one has finished another takes up, ' +
  'so that no bar is ever played twice and the music goes on without a break.';

export interface DemoOutput {
  json: boolean;
  paint: Paint;
  print: (line: string) => void;
  /** How far a run has come, where a line can be rewritten; an empty text takes it away. */
  status: (text: string) => void;
}

export interface DemoPace {
  /** How often the fleet is asked whether it is at rest. */
  pollMs: number;
  /** Between an answer and the next request. */
  thinkMs: number;
}

const defaultPace: DemoPace = { pollMs: 200, thinkMs: 300 };

export interface DemoTarget {
  gatewayUrl: string;
  /** Admin API of its conductor. */
  conductorUrl: string;
  /** Of several models. */
  model: string | undefined;
}

/**
 * `baton demo`: one small load, sent twice, and what the fleet did for it by its own counters. How requests were treated
 * before is put back, whatever happens; what stopped it is thrown after that.
 *
 * @throws BatonError child_failed, config_invalid; the signal's reason when it is aborted
 */
export async function runDemo(
  target: DemoTarget,
  output: DemoOutput,
  signal: AbortSignal,
  pace: DemoPace = defaultPace,
): Promise<void> {
  const { conductorUrl } = target;
  const workers = await askConductor(conductorUrl, '/workers');
  const tokenizer = chooseTokenizer(workers, target.model);
  const { model, segmentTokens } = tokenizer;
  const words = wordsOf(await tokenize(tokenizer, { prompt: TEXT }));
  const size = loadSizeFor(tokensPerSec(workers, model), segmentTokens, LIMIT_SEC);
  const held = await holdPolicy(conductorUrl, model);
  const say = output.json ? () => undefined : output.print;
  try {
    const promptTokens = tokensOf(size, segmentTokens);
    say(
      `${size.conversations} conversations of ${size.turns} questions, ${formatCount(promptTokens)} prompt tokens in all, ` +
        `are sent to ${printable(model)} twice.`,
    );
    const asked = { ...target, ...pace, model };
    const demo = { target: asked, size, segmentTokens, held, words, say, output, signal };
    output.status('waiting for a quiet fleet');
    const before = await settledCounters(conductorUrl, pace.pollMs, signal);
    const first = await oneRun(demo, treatments[0], 0, before);
    const second = await oneRun(demo, treatments[1], 1, first.after);
    const requests = size.conversations * size.turns;
    const report: DemoReport = { model, requests, promptTokens, runs: [first.run, second.run] };
    if (output.json) output.print(JSON.stringify(jsonOf(report), null, 2));
    else for (const line of demoLines(report, output.paint)) output.print(line);
  } finally {
    output.status('');
    await putBack(conductorUrl, held, say);
  }
}

interface Demo {
  target: DemoTarget & DemoPace & { model: string };
  size: LoadSize;
  segmentTokens: number;
  held: HeldPolicy;
  words: readonly number[];
  say: (line: string) => void;
  output: DemoOutput;
  signal: AbortSignal;
}

/** @param before what the fleet had counted when it came to rest, which is true until something comes */
async function oneRun(
  demo: Demo,
  treatment: Treatment,
  salt: number,
  before: CountedFleet,
): Promise<{ run: DemoRun; after: CountedFleet }> {
  const { target, held, size, segmentTokens, words, say, output, signal } = demo;
  const { policy } = treatment;
  const random = (): number => randomInt(RANDOM_STEPS) / RANDOM_STEPS;
  const load = demoLoad(size, { words, segmentTokens, salt, random });
  const requests = load.flat().length;
  await held.switchTo(treatment);
  const showProgress = (answered: number): void =>
    output.status(`${policy}: ${answered} of ${requests} answered`);
  showProgress(0);
  const result = await runLoad(target, load, signal, showProgress);
  output.status(`${policy}: waiting for what the workers counted`);
  const after = await settledCounters(target.conductorUrl, target.pollMs, signal);
  output.status('');
  say(output.paint.dim(`${policy}: ${requests} requests in ${formatMs(result.tookMs)}`));
  return { run: { policy, counted: countedBetween(before, after), result }, after };
}

/** Prompt tokens per second of the two quickest workers of a model together. */
function tokensPerSec(workers: unknown, model: string): number {
  const rates = list(field(workers, 'workers'))
    .filter((worker) => field(worker, 'model') === model)
    .flatMap((worker) => list(field(worker, 'loads')))
    .map((load) => Number(field(load, 'prefillTokensPerSec') ?? 0))
    .sort((a, b) => b - a);
  return (rates[0] ?? 0) + (rates[1] ?? 0);
}

/** @throws BatonError child_failed that says how to do it by hand */
async function putBack(url: string, held: HeldPolicy, say: (line: string) => void): Promise<void> {
  try {
    await held.restore();
    say(`The policy is again as it was: ${held.was}.`);
  } catch (error) {
    const isGone = error instanceof BatonError && error.code === 'child_failed';
    const message = isGone
      ? `The conductor (${url}) does not answer any more: has its "npm start" ended? Where it goes on, this puts the policy back: ${held.command}`
      : `The policy could not be put back: ${held.command}`;
    throw new BatonError('child_failed', message, { cause: error });
  }
}

function jsonOf(report: DemoReport): object {
  return {
    ...report,
    runs: report.runs.map((run) => ({
      policy: run.policy,
      computedTokens: run.counted.computedTokens,
      reusedTokens: reusedTokens(report, run),
      movedTokens: run.counted.movedTokens,
      movedBytes: run.counted.movedBytes,
      ...run.result,
    })),
  };
}
