import { expect, test } from 'vitest';
import { LINK_SILENCE_MS, LINK_WORD_MS, SilenceWatch } from './silence-watch.ts';

const STEP_MS = 100;

function looksUntil(watch: SilenceWatch, fromMs: number, toMs: number): void {
  for (let nowMs = fromMs; nowMs <= toMs; nowMs += STEP_MS) watch.look(nowMs);
}

test('silence is what lasts, and ends with a word', () => {
  const watch = new SilenceWatch(0);
  looksUntil(watch, 0, LINK_SILENCE_MS - STEP_MS);
  expect(watch.isSilent).toBe(false);
  watch.look(LINK_SILENCE_MS);
  expect(watch.isSilent).toBe(true);
  watch.heard();
  expect(watch.isSilent).toBe(false);
});

test('words that come as often as they should never let it fall silent', () => {
  const watch = new SilenceWatch(0);
  for (let nowMs = 0; nowMs < 20_000; nowMs += STEP_MS) {
    if (nowMs % LINK_WORD_MS === 0) watch.heard();
    watch.look(nowMs);
    expect(watch.isSilent).toBe(false);
  }
});

test('the time in which this process did not run is not the other side’s silence', () => {
  const watch = new SilenceWatch(0);
  looksUntil(watch, 0, 2_000);
  watch.look(600_000);
  expect(watch.isSilent).toBe(false);
  looksUntil(watch, 600_000, 600_600);
  expect(watch.isSilent).toBe(true);
});
