import { expect, test } from 'vitest';
import { TokenLedger } from './token-ledger.ts';

const leg = (reusedTokens: number, transferredTokens: number, computedTokens: number) => ({
  promptTokens: reusedTokens + transferredTokens + computedTokens,
  reusedTokens,
  transferredTokens,
  computedTokens,
});
const usage = (completion_tokens: number, cached_tokens = 0) => ({
  prompt_tokens: 100,
  completion_tokens,
  total_tokens: 100 + completion_tokens,
  prompt_tokens_details: { cached_tokens },
});

test('what was handed over is moved, not cached: prefill computed it for this request', () => {
  const ledger = new TokenLedger(100);
  ledger.addLeg(leg(30, 10, 60), usage(1), false);
  ledger.relayed(5);
  expect(ledger.outputTokens).toBe(6);
  ledger.addLeg(leg(64, 36, 0), usage(9), true);
  expect(ledger).toMatchObject({
    cachedTokens: 40,
    reusedTokens: 30,
    transferredTokens: 46,
    computedTokens: 60,
    outputTokens: 9,
  });
  expect(ledger.usage()).toEqual(usage(9, 40));
});

test('what decode computes again counts once', () => {
  const ledger = new TokenLedger(100);
  ledger.addLeg(leg(90, 0, 10), usage(1), false);
  ledger.addLeg(leg(0, 64, 36), usage(3), true);
  expect(ledger.cachedTokens).toBe(64);
  expect(ledger.computedTokens).toBe(36);
});

test('what no engine has said is not known, and is no zero', () => {
  const nothing = new TokenLedger(100);
  nothing.addLeg(undefined, { prompt_tokens: 100, completion_tokens: 3, total_tokens: 103 }, true);
  const { reusedTokens, transferredTokens, computedTokens, cachedTokens } = nothing;
  expect([reusedTokens, transferredTokens, computedTokens, cachedTokens]).toEqual(
    Array(4).fill(undefined),
  );
  expect(nothing.usage()).toEqual({ prompt_tokens: 100, completion_tokens: 3, total_tokens: 103 });
  // Of a pair whose decode side says nothing of what it read.
  const half = new TokenLedger(100);
  half.addLeg(leg(30, 0, 70), undefined, false);
  half.addLeg(undefined, usage(3, 30), true);
  expect(half).toMatchObject({ reusedTokens: 30, computedTokens: 70, cachedTokens: 30 });
  expect(half.transferredTokens).toBeUndefined();
});

test('without an accounting the engine’s own word counts', () => {
  const ledger = new TokenLedger(100);
  ledger.addLeg(undefined, usage(3, 50), true);
  expect(ledger.usage()).toEqual(usage(3, 50));
});
