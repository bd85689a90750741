import { describe, expect, it } from 'vitest';
import { requestHeader, requestLine, routeWidthOf, type RequestRecord } from './request-line.ts';
import { ansiPaint, noPaint, visibleWidth } from './terminal-text.ts';

const at = new Date(2026, 0, 2, 9, 5, 7).getTime();
const full: RequestRecord = {
  requestId: 'r1',
  finishedAtMs: at,
  prefillWorker: 'prefill-1',
  decodeWorker: 'decode-2',
  promptTokens: 1353,
  reusedTokens: 320,
  transferredTokens: 1000,
  computedTokens: 33,
  movedBytes: 7_400_000,
  outputTokens: 64,
  ttftMs: 312.4,
  durationMs: 1840,
  outcome: 'finished',
};

describe('requestLine', () => {
  it('shows route, tokens, bytes and times under the header', () => {
    expect([requestHeader(noPaint), requestLine(full, noPaint)]).toEqual([
      'time      prefill → decode           prompt  reused   moved  computed    bytes     TTFT  output     took',
      '09:05:07  prefill-1 → decode-2        1 353     320   1 000        33   7.4 MB   312 ms      64   1.84 s',
    ]);
  });

  it.each([
    [104, 'prompt  reused   moved  computed    bytes     TTFT  output     took'],
    [103, 'prompt  reused  computed    bytes     TTFT  output     took'],
    [80, 'reused  computed     TTFT  output     took'],
    [60, 'TTFT  output     took'],
    [1, 'TTFT  output     took'],
  ])('leaves out what matters least where only %d columns fit', (maxColumns, titles) => {
    const [header, line] = [
      requestHeader(noPaint, { maxColumns }),
      requestLine(full, noPaint, { maxColumns }),
    ];
    expect(header.replace(/^time +prefill → decode +/, '')).toBe(titles);
    expect(line).toMatch(/312 ms +64 +1\.84 s$/);
    expect(line).toHaveLength(header.length);
  });

  it('gives workers with long names the room that they need', () => {
    const long = { ...full, prefillWorker: '10-0-0-1-18000', decodeWorker: '10-0-0-2-18000' };
    const size = { routeWidth: routeWidthOf([full, long]) };
    const lines = [
      requestHeader(noPaint, size),
      ...[full, long].map((request) => requestLine(request, noPaint, size)),
    ];
    expect(new Set(lines.map((line) => line.length)).size).toBe(1);
    expect(routeWidthOf([full])).toBe(25);
    expect(routeWidthOf([{ ...full, decodeWorker: 'x'.repeat(200) }])).toBe(60);
  });

  it('has the same width with and without colours', () => {
    expect(visibleWidth(requestLine(full, ansiPaint))).toBe(requestLine(full, noPaint).length);
  });

  it('names one worker when one did it all', () => {
    const line = requestLine(
      { ...full, prefillWorker: 'decode-1', decodeWorker: 'decode-1' },
      noPaint,
    );
    expect(line).toContain('decode-1 alone');
  });

  it('says how a request ended that did not finish', () => {
    expect(requestLine({ ...full, outcome: 'aborted' }, noPaint)).toContain(
      'aborted by the client',
    );
    const failed = {
      requestId: 'r',
      finishedAtMs: at,
      outcome: 'failed',
      status: 503,
      code: 'no_worker',
    };
    expect(requestLine(failed, noPaint)).toMatch(
      /^09:05:07 {2}not planned .* failed: 503 no_worker$/,
    );
  });

  it('prints nothing that could steer the terminal', () => {
    expect(requestLine({ ...full, decodeWorker: '\x1b[2Jx\n' }, noPaint)).not.toMatch(/[\x1b\n]/);
  });
});
