import { poolHitRatio, type TraceRequest } from '@baton/sim';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { analysePrompts, type PromptAnalysis } from './prompt-analysis.ts';
import { BLOCK, builtLog, prompts, textOf } from './testing/built-log.ts';

const analyse = (log: TraceRequest[], minRequests = 10): PromptAnalysis =>
  analysePrompts(log, { blockTokens: BLOCK, minRequests, top: 10 });

function permutations(items: readonly string[]): string[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item) =>
    permutations(items.filter((other) => other !== item)).map((rest) => [item, ...rest]),
  );
}

describe('a time stamp at the front of 100 prompts', () => {
  const made = prompts(100, (i) => [`it is ${i}`, ...textOf('system', 4), `question ${i}`, 'end']);

  test('without content_ids: nothing is shared from the first token on, and all is computed', () => {
    const [found, ...others] = analyse(builtLog(made, { hasContent: false })).breaks;
    expect(others).toEqual([]);
    expect(found).toEqual({
      ...{ atToken: 0, requests: 100, differingBlocks: 1, ways: 100, firstLine: 1 },
      ...{ tokensBehind: 60_000, computedTokens: 60_000, behind: undefined },
    });
  });

  test('with content_ids: the system prompt behind it, which 99 need not have computed', () => {
    const { breaks } = analyse(builtLog(made));
    expect(breaks[0]?.behind).toEqual({
      ...{ known: 100, reorderedBlocks: 0, reusableTokens: 99 * 4 * BLOCK },
      run: { fromToken: 100, blocks: 4, requests: 100 },
    });
  });
});

test('a user id behind the system prompt: 50 users with 4 requests each, all with the same manual', () => {
  const made = prompts(200, (i) => [
    ...textOf('system', 2),
    `you talk to ${i % 50}`,
    ...textOf('manual', 6),
    `question ${i}`,
  ]);
  const { breaks, sharedPrefixes } = analyse(builtLog(made));
  expect(breaks).toHaveLength(1);
  expect(breaks[0]).toMatchObject({
    ...{ atToken: 200, requests: 200, ways: 50 },
    tokensBehind: 200 * 7 * BLOCK,
    // The manual once for each user, and each question.
    computedTokens: (50 * 6 + 200) * BLOCK,
    behind: { run: { fromToken: 300, blocks: 6, requests: 200 }, reusableTokens: 49 * 6 * BLOCK },
  });
  expect(sharedPrefixes[0]).toEqual({
    ...{ fromToken: 0, toToken: 200, requests: 200, reusedTokens: 199 * 200, firstLine: 1 },
  });
  expect(sharedPrefixes[1]).toEqual({
    ...{ fromToken: 200, toToken: 900, requests: 4, reusedTokens: 3 * 700, firstLine: 1 },
  });
});

test('five tools in another order each time, then the same instructions', () => {
  const orders = permutations(textOf('tool', 5));
  const made = prompts(120, (i) => [
    ...['system', ...(orders[i] ?? [])],
    ...[...textOf('instructions', 3), `question ${i}`],
  ]);
  // Each tool comes first in a fifth of the prompts, each pair of them in a twentieth.
  const { breaks } = analyse(builtLog(made));
  expect(breaks).toHaveLength(1);
  expect(breaks[0]).toMatchObject({
    ...{ atToken: 100, differingBlocks: 2, requests: 120, ways: 20 },
    behind: { reorderedBlocks: 5, run: { fromToken: 600, blocks: 3, requests: 120 } },
  });
});

test('thirty tools, shuffled: found at the first of them', () => {
  const made = prompts(90, (i) => {
    const from = (i * 7) % 30;
    const tools = textOf('tool', 30);
    return ['system', ...tools.slice(from), ...tools.slice(0, from), 'go', `question ${i}`];
  });
  const { breaks } = analyse(builtLog(made));
  expect(breaks[0]).toMatchObject({
    ...{ atToken: 100, requests: 90, ways: 30 },
    behind: { reorderedBlocks: 30, run: { fromToken: 3_100, blocks: 1, requests: 90 } },
  });
});

test('one application of three puts the time first', () => {
  const made = prompts(300, (i) =>
    i % 3 === 0
      ? [`it is ${i}`, ...textOf('ours', 4), `question ${i}`]
      : [...textOf(`app ${i % 3}`, 5), `question ${i}`, 'end'],
  );
  const { breaks } = analyse(builtLog(made));
  expect(breaks[0]).toMatchObject({
    ...{ atToken: 0, requests: 100, ways: 100, firstLine: 1 },
    behind: { run: { fromToken: 100, blocks: 4, requests: 100 }, reusableTokens: 99 * 400 },
  });
});

describe('nothing is wrong', () => {
  const made = prompts(100, (i) => [...textOf('system', 4), `question ${i}`, `more ${i}`]);

  test('questions of their own behind a system prompt have nothing in common', () => {
    const [found] = analyse(builtLog(made)).breaks;
    expect(found).toMatchObject({ atToken: 400, behind: { run: undefined, reusableTokens: 0 } });
  });

  test('prompts that end in the block that differs are no break', () => {
    const short = made.map((texts) => texts.slice(0, 5));
    expect(analyse(builtLog(short)).breaks).toEqual([]);
    expect(analyse(builtLog(short, { hasContent: false })).breaks).toEqual([]);
  });

  test('conversations that go on are no break', () => {
    const turns = prompts(100, (i) => [
      'system',
      ...textOf(`chat ${i % 5}`, 2 + Math.floor(i / 5)),
    ]);
    expect(analyse(builtLog(turns)).breaks).toEqual([]);
  });

  test('applications with system prompts of their own are no break', () => {
    const apps = prompts(100, (i) => [...textOf(`app ${i % 5}`, 9), `question ${i}`]);
    expect(analyse(builtLog(apps)).breaks).toEqual([]);
  });

  test('nor is what few do', () => {
    expect(analyse(builtLog(made), 101).breaks).toEqual([]);
  });
});

test('a run ends where a fifth has left it; those without content_ids are not looked at', () => {
  const made = prompts(100, (i) => [
    ...['system', `id ${i}`, 'a', 'b'],
    ...(i < 93 ? ['c', 'd'] : ['x', 'y']),
    ...(i < 60 ? ['e'] : [`z ${i}`]),
  ]);
  const log = builtLog(made);
  for (const request of log.slice(0, 10)) delete request.contentIds;
  const analysis = analyse(log);
  expect(analysis.requestsWithContent).toBe(90);
  expect(analysis.breaks[0]?.behind).toMatchObject({
    ...{ known: 90, run: { fromToken: 200, blocks: 4, requests: 83 } },
    reusableTokens: (89 + 89 + 82 + 82) * BLOCK,
  });
});

test('breaks with more to gain come first, and only so many', () => {
  const made = prompts(40, (i) =>
    i < 20
      ? ['a', `own ${i}`, ...textOf(`text ${i}`, 9)]
      : ['b', `id ${i}`, ...textOf('shared', 3), 'end'],
  );
  const options = { blockTokens: BLOCK, minRequests: 5, top: 1 };
  const known = analysePrompts(builtLog(made), options);
  expect(known).toMatchObject({ breakCount: 2, breaks: [{ firstLine: 21 }] });
  const unknown = analysePrompts(builtLog(made, { hasContent: false }), options);
  expect(unknown).toMatchObject({ breakCount: 2, breaks: [{ firstLine: 1 }] });
});

test('what is shared adds up, whatever the log', () => {
  const texts = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 6 });
  const logs = fc.array(texts, { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(logs, (made) => {
      const log = builtLog(made, { lastTokens: 100 });
      const analysis = analysePrompts(log, { blockTokens: BLOCK, minRequests: 2, top: 1_000 });
      expect(analysis.blockHitRatio).toBeCloseTo(poolHitRatio(log, Infinity), 12);
      const reused = analysis.sharedPrefixes.reduce(
        (sum, { reusedTokens }) => sum + reusedTokens,
        0,
      );
      expect(reused).toBe(analysis.sharedTokens);
      for (const { computedTokens, tokensBehind, behind } of analysis.breaks) {
        expect(computedTokens).toBeLessThanOrEqual(tokensBehind);
        expect(behind?.reusableTokens ?? 0).toBeGreaterThanOrEqual(0);
      }
    }),
  );
});
