import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startCollector, type Collector } from './collector.ts';
import type { SpanRecord } from './otlp-json.ts';
import { buildSpanTree, isComplete, walk } from './span-tree.ts';
import { TraceStore } from './trace-store.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';

function otlp(spans: unknown[], service = 'gateway'): unknown {
  const attributes = [
    { key: 'service.name', value: { stringValue: service } },
    { key: 'service.instance.id', value: { stringValue: 'prefill-1' } },
  ];
  return { resourceSpans: [{ resource: { attributes }, scopeSpans: [{ spans }] }] };
}

function otlpSpan(spanId: string, more: object = {}): object {
  return {
    traceId,
    spanId,
    name: 'chat tiny',
    startTimeUnixNano: '1767000000123456789',
    endTimeUnixNano: '1767000001123456789',
    ...more,
  };
}

describe('the collector', () => {
  let store: TraceStore;
  let collector: Collector;
  beforeEach(async () => {
    store = new TraceStore();
    collector = await startCollector(store);
  });
  afterEach(() => collector.close());

  const post = (body: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${collector.url}/v1/traces`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...headers },
    });

  it('takes spans and gives them back', async () => {
    const attributes = [
      { key: 'baton.bytes', value: { intValue: '7400000' } },
      { key: 'baton.bytes_per_sec', value: { doubleValue: 1.5 } },
      { key: 'gen_ai.request.stream', value: { boolValue: true } },
      { key: 'list', value: { arrayValue: { values: [{ stringValue: 'stop' }] } } },
    ];
    const status = { code: 2, message: 'no luck' };
    const span = otlpSpan('00f067aa0ba902b7', { parentSpanId: '', attributes, status });
    const response = await post(JSON.stringify(otlp([span])));
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({});
    const expected: SpanRecord = {
      traceId,
      spanId: '00f067aa0ba902b7',
      parentSpanId: undefined,
      name: 'chat tiny',
      service: 'gateway',
      instance: 'prefill-1',
      startMs: 1767000000123.456,
      endMs: 1767000001123.456,
      failed: true,
      statusMessage: 'no luck',
      attributes: {
        'baton.bytes': 7_400_000,
        'baton.bytes_per_sec': 1.5,
        'gen_ai.request.stream': true,
        list: ['stop'],
      },
    };
    expect(store.traces()).toEqual([{ traceId, spans: [expected], droppedSpans: 0 }]);
    const listed = (await (await fetch(`${collector.url}/traces`)).json()) as { traces: unknown[] };
    expect(listed.traces).toHaveLength(1);
    expect((await fetch(`${collector.url}/elsewhere`)).status).toBe(404);
  });

  it.each([
    ['{', {}, 400],
    ['{"resourceSpans":3}', {}, 400],
    ['[]', {}, 400],
    ['{}', { 'content-type': 'application/x-protobuf' }, 415],
    ['{}', { 'content-encoding': 'gzip' }, 415],
    ['x'.repeat(9 * 1024 * 1024), {}, 413],
  ])('refuses a bad body', async (body, headers, status) => {
    // A body that is too large may be refused while it is still being sent.
    const got = await post(body, headers).then(
      (response) => response.status,
      () => 413,
    );
    expect(got).toBe(status);
    expect(store.traces()).toEqual([]);
  });

  it('counts entries that are no spans', async () => {
    const bad = [null, {}, otlpSpan('short'), otlpSpan('00f067aa0ba902b7', { name: 3 })];
    const response = await post(JSON.stringify(otlp([...bad, otlpSpan('00f067aa0ba902b8')])));
    expect(await response.json()).toMatchObject({ partialSuccess: { rejectedSpans: '4' } });
    expect(store.traces()[0]?.spans).toHaveLength(1);
  });

  it('knows the latest requests, newest first', async () => {
    for (const requestId of ['a', 'b']) store.addRequest({ requestId, finishedAtMs: 1 });
    const { requests } = (await (await fetch(`${collector.url}/requests`)).json()) as {
      requests: { requestId: string }[];
    };
    expect(requests.map(({ requestId }) => requestId)).toEqual(['b', 'a']);
  });
});

const span = (id: number, trace = 1, parent?: number): SpanRecord => ({
  traceId: trace.toString(16).padStart(32, '0'),
  spanId: id.toString(16).padStart(16, '0'),
  parentSpanId: parent?.toString(16).padStart(16, '0'),
  name: `span ${id}`,
  service: 's',
  instance: undefined,
  startMs: id,
  endMs: id + 1,
  failed: false,
  statusMessage: undefined,
  attributes: {},
});

describe('TraceStore', () => {
  const limits = { traces: 3, spansPerTrace: 4, bytes: 1e6, requests: 2 };

  it('keeps the newest traces', () => {
    const store = new TraceStore(limits);
    for (let trace = 1; trace <= 5; trace++) store.add([span(trace, trace)]);
    expect(store.traces().map(({ traceId: id }) => Number(`0x${id}`))).toEqual([5, 4, 3]);
  });

  it('keeps a span once and counts what a full trace lost', () => {
    const store = new TraceStore(limits);
    store.add([1, 1, 2, 3, 4, 5, 6].map((id) => span(id)));
    const [trace] = store.traces();
    expect(trace?.spans.map(({ spanId }) => Number(spanId))).toEqual([1, 2, 3, 4]);
    expect(trace?.droppedSpans).toBe(2);
  });

  it('stays below its bytes', () => {
    const store = new TraceStore({ ...limits, traces: 1000, bytes: 5_000 });
    for (let trace = 1; trace <= 50; trace++) store.add([span(trace, trace)]);
    expect(store.traces().length).toBeLessThan(10);
    expect(store.traces().length).toBeGreaterThan(1);
  });

  it('keeps the latest requests', () => {
    const store = new TraceStore(limits);
    for (const requestId of ['a', 'b', 'c']) store.addRequest({ requestId, finishedAtMs: 1 });
    expect(store.requests().map(({ requestId }) => requestId)).toEqual(['c', 'b']);
  });
});

describe('buildSpanTree', () => {
  it('orders children by start and draws the branches', () => {
    const tree = buildSpanTree([span(4, 1, 2), span(3, 1, 1), span(2, 1, 1), span(1)]);
    expect(isComplete(tree)).toBe(true);
    const rows = tree.root === undefined ? [] : [...walk(tree.root)];
    expect(rows.map(({ node, branch }) => branch + node.span.name)).toEqual([
      'span 1',
      '├─ span 2',
      '│  └─ span 4',
      '└─ span 3',
    ]);
  });

  it('knows an unfinished trace', () => {
    const tree = buildSpanTree([span(2, 1, 1)]);
    expect(tree.root).toBeUndefined();
    expect(tree.orphans).toHaveLength(1);
    expect(isComplete(buildSpanTree([span(1), span(3, 1, 2)]))).toBe(false);
  });

  it('survives spans that are their own ancestors', () => {
    expect(buildSpanTree([span(1, 1, 1), span(2, 1, 3), span(3, 1, 2)]).orphans).toHaveLength(1);
  });
});
