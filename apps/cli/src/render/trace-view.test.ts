import { attributes as names, spans } from '@baton/telemetry';
import { expect, it } from 'vitest';
import type { AttributeValue, SpanRecord } from '../trace/otlp-json.ts';
import { noPaint, visibleWidth } from './terminal-text.ts';
import { renderTrace, renderTraceList } from './trace-view.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const view = { paint: noPaint, columns: undefined };

function span(
  spanId: string,
  parentSpanId: string | undefined,
  name: string,
  [startMs, endMs]: [number, number],
  process: string,
  attributes: Record<string, AttributeValue> = {},
): SpanRecord {
  const [service = '', instance] = process.split(' ');
  return {
    traceId,
    spanId,
    parentSpanId,
    name,
    service,
    instance,
    startMs: 1000 + startMs,
    endMs: 1000 + endMs,
    failed: false,
    statusMessage: undefined,
    attributes,
  };
}

const request = span('a', undefined, 'chat tiny', [0, 900], 'gateway 4711', {
  [names.operation]: 'chat',
  [names.inputTokens]: 353,
  [names.cachedInputTokens]: 320,
  [names.outputTokens]: 64,
  [names.outcome]: 'finished',
  [names.prefillWorker]: 'prefill-1',
  [names.decodeWorker]: 'decode-2',
  [names.timeToFirstChunk]: 0.31,
});
const all = [
  span('f', 'c', spans.kvTransfer, [12, 300], 'agent decode-2', {
    [names.sourceWorker]: 'prefill-1',
    [names.destinationWorker]: 'decode-2',
    [names.transferReason]: 'handover',
    [names.segments]: 5,
    [names.bytes]: 7_400_000,
    [names.bytesPerSec]: 812_000_000,
    [names.backend]: 'tcp',
    [names.tier]: 'dram',
    [names.transferStatus]: 'done',
  }),
  span('e', 'd', spans.enginePrefill, [15, 300], 'engine prefill-1', {
    [names.reusedTokens]: 320,
    [names.transferredTokens]: 0,
    [names.computedTokens]: 33,
  }),
  span('b', 'a', spans.tokenize, [1, 4.25], 'gateway 4711', { [names.inputTokens]: 353 }),
  span('c', 'a', spans.plan, [5, 6], 'conductor 4712', {
    [names.planMode]: 'disaggregated',
    [names.matchedTokens]: 320,
    [names.candidates]: 4,
    [names.predictedTtftMs]: 290,
  }),
  span('d', 'a', spans.legPrefill, [10, 310], 'gateway 4711', { [names.worker]: 'prefill-1' }),
  span('g', 'd', spans.kvLoad, [16, 20], 'agent prefill-1', {
    [names.worker]: 'prefill-1',
    [names.tier]: 'dram',
    [names.segments]: 5,
    [names.transferredSegments]: 2,
    [names.bytes]: 7_400_000,
  }),
  request,
];

it('shows the tree of a request with offsets, processes, tokens and bytes', () => {
  expect(renderTrace({ traceId, spans: all, droppedSpans: 0 }, view)).toEqual([
    `chat tiny · finished in 900 ms · trace ${traceId}`,
    'prefill-1 → decode-2 · 353 prompt tokens, 320 of them cached · 64 output tokens · first token after 310 ms',
    '',
    '   start      took  span                  process           what',
    '    0 ms    900 ms  chat tiny             gateway           353 prompt · 320 cached · 64 output · finished',
    '    1 ms   3.25 ms  ├─ tokenize           gateway           353 tokens',
    '    5 ms      1 ms  ├─ plan               conductor         disaggregated · 320 matched · 4 candidates · predicted TTFT 290 ms',
    '   12 ms    288 ms  │  └─ kv.transfer     agent decode-2    prefill-1 → decode-2 · handover · 5 segments · 7.4 MB · 812 MB/s · tcp into dram',
    '   10 ms    300 ms  └─ leg.prefill        gateway           prefill-1',
    '   15 ms    285 ms     ├─ engine.prefill  engine prefill-1  320 reused · 0 moved · 33 computed',
    '   16 ms      4 ms     └─ kv.load         agent prefill-1   prefill-1 · 5 segments · 2 moved · 7.4 MB · dram into the engine',
  ]);
});

it('says that a trace is unfinished and shows what is there', () => {
  const spansSoFar = all.filter((s) => s !== request);
  const lines = renderTrace({ traceId, spans: spansSoFar, droppedSpans: 3 }, view);
  expect(lines[1]).toContain('unfinished');
  expect(lines[2]).toContain('3 more spans');
  expect(lines.filter((line) => line.includes('kv.transfer'))).toHaveLength(1);
});

it('says that a parent is missing', () => {
  const lines = renderTrace(
    { traceId, spans: [request, ...all.slice(0, 1)], droppedSpans: 0 },
    view,
  );
  expect(lines[2]).toContain('incomplete');
});

it('takes a request below a client’s own span as the root', () => {
  const below = { ...request, parentSpanId: 'ffffffffffffffff' };
  const lines = renderTrace({ traceId, spans: [below], droppedSpans: 0 }, view);
  expect(lines[0]).toContain('finished in 900 ms');
});

it('names failure and repeated tries', () => {
  const failed = {
    ...span('x', 'a', spans.legDecode, [1, 2], 'gateway 1', {
      [names.errorType]: 'kv_transfer_failed',
      [names.legRetry]: 1,
    }),
    failed: true,
  };
  const text = renderTrace({ traceId, spans: [request, failed], droppedSpans: 0 }, view).join('\n');
  expect(text).toContain('try 2 · failed: kv_transfer_failed');
});

it('fits the terminal and draws bars where there is room', () => {
  for (const columns of [40, 80, 160]) {
    const lines = renderTrace(
      { traceId, spans: all, droppedSpans: 0 },
      { paint: noPaint, columns },
    );
    expect(Math.max(...lines.map(visibleWidth))).toBeLessThanOrEqual(columns);
    expect(lines.some((line) => line.includes('█'))).toBe(columns === 160);
  }
});

it('lets nothing steer the terminal', () => {
  const evil = { ...request, name: 'chat \x1b[2Jtiny\r\n' };
  const text = renderTrace({ traceId, spans: [evil], droppedSpans: 0 }, view).join('');
  expect(text).not.toMatch(/[\x1b\r\n]/);
});

it('lists traces with age and facts', () => {
  const unfinished = { traceId: 'f'.repeat(32), spans: all.slice(0, 1), droppedSpans: 0 };
  const traces = [unfinished, { traceId, spans: all, droppedSpans: 0 }];
  const lines = renderTraceList(traces, { ...view, nowMs: 6000 });
  expect(lines[0]).toMatch(/^f{32} +4\.99 s ago +1 spans {2}unfinished$/);
  expect(lines[1]).toContain('5 s ago');
  expect(lines[1]).toContain('chat tiny · 900 ms · prefill-1 → decode-2 · 353 prompt tokens');
});
