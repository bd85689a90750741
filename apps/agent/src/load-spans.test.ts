import { baton } from '@baton/proto';
import { trace } from '@baton/telemetry';
import {
  TracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { LoadSpans, MAX_OPEN_LOADS } from './load-spans.ts';

const { LOAD_STATUS_COMPLETE, LOAD_STATUS_MISSING, LOAD_STATUS_TIMEOUT } = baton.v1.LoadStatus;
const traceId = '0af7651916cd43dd8448eb211c80319c';
const traceparent = `00-${traceId}-b7ad6b7169203331-01`;
/** Unix time: a small number would count from the start of the process, once that is longer ago. */
const START_SEC = 1_764_000_000;
const exporter = new InMemorySpanExporter();

beforeAll(() => {
  const spanProcessors = [new SimpleSpanProcessor({ exporter })];
  trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors }));
});
beforeEach(() => exporter.reset());
afterAll(() => trace.disable());

/** Each answer to the load of request `r`, 10 ms after the one before. */
function loaded(request: baton.v1.ILoadRequest, answers: baton.v1.IAgentMessage[]) {
  let nowMs = START_SEC * 1_000;
  const loads = new LoadSpans('d', () => nowMs);
  loads.asked({ requestId: 'r', ...request });
  for (const answer of answers) {
    nowMs += 10;
    loads.told(answer);
  }
  nowMs += 10;
  loads.ended('r');
  loads.ended('r');
  return exporter.getFinishedSpans();
}

const segment = (index: number, transferred: boolean): baton.v1.IAgentMessage => ({
  segment: { requestId: 'r', index, page: index, bytes: 100, transferred },
});
const end = (status: number, more: baton.v1.ILoadEnd = {}): baton.v1.IAgentMessage => ({
  loadEnd: { requestId: 'r', status, ...more },
});

test('what came from where, the tail included, from the question until the copies are made', () => {
  const [span, ...more] = loaded({ traceparent, planId: 'plan-1' }, [
    segment(0, false),
    segment(1, true),
    { segment: { requestId: 'of another', index: 0, page: 0, bytes: 7 } },
    end(LOAD_STATUS_COMPLETE, { tail: { bytes: 40 } }),
  ]);
  expect(more).toEqual([]);
  expect(span?.name).toBe('kv.load');
  expect(span?.spanContext().traceId).toBe(traceId);
  expect([span?.startTime, span?.endTime]).toEqual([
    [START_SEC, 0],
    [START_SEC, 50e6],
  ]);
  expect(span?.attributes).toEqual({
    'baton.plan.id': 'plan-1',
    'baton.worker': 'd',
    'baton.tier': 'dram',
    'baton.segments': 2,
    'baton.transferred_segments': 1,
    'baton.bytes': 240,
  });
});

test('a transfer that stalled is said, also when nothing of it came', () => {
  const [span] = loaded({ traceparent, planId: 'plan-1' }, [end(LOAD_STATUS_TIMEOUT)]);
  expect(span?.attributes).toMatchObject({
    'error.type': 'transfer_stalled',
    'baton.segments': 0,
  });
});

test('a load that found nothing, or that nobody traces, has no span', () => {
  expect(loaded({ traceparent }, [end(LOAD_STATUS_MISSING)])).toEqual([]);
  expect(loaded({}, [segment(0, false), end(LOAD_STATUS_COMPLETE)])).toEqual([]);
});

test('an engine that never says that its loads have ended fills nothing', () => {
  const loads = new LoadSpans('d');
  const ids = Array.from({ length: MAX_OPEN_LOADS + 1 }, (_, i) => `r${i}`);
  for (const requestId of ids) loads.asked({ requestId, traceparent });
  for (const requestId of ids) {
    loads.told({ segment: { requestId, index: 0, page: 0, bytes: 100 } });
    loads.ended(requestId);
  }
  expect(exporter.getFinishedSpans()).toHaveLength(MAX_OPEN_LOADS);
});
