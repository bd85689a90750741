/** One request, one trace: read back from a real OTLP receiver. */
import { attributeDefinitions, spanDefinitions } from '@baton/telemetry';
import { complete, randomPrompt, startOtlpReceiver } from '@baton/test-kit';
import type { OtlpReceiver, ReceivedSpan } from '@baton/test-kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MODEL, startFleet, type Fleet } from '../kit/fleet.ts';

let receiver: OtlpReceiver;
let fleet: Fleet;

beforeAll(async () => {
  receiver = await startOtlpReceiver();
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint, OTEL_BSP_SCHEDULE_DELAY: '200' };
  fleet = await startFleet({ prefill: 1, decode: 1, env });
});
afterAll(async () => {
  await fleet?.stop();
  await receiver?.close();
});

const PROMPT_TOKENS = 500;

test('gateway, plan, legs, transfer and engines stand in one tree', async () => {
  await complete(fleet.url, {
    model: MODEL,
    prompt: randomPrompt(1, PROMPT_TOKENS),
    max_tokens: 8,
    ignore_eos: true,
    stream: true,
  });
  const names = [
    'tokenize',
    'plan',
    'leg.prefill',
    'leg.decode',
    'kv.transfer',
    'engine.prefill',
    'engine.decode',
  ];
  await receiver.waitFor((spans) => names.every((name) => spans.some((s) => s.name === name)));
  const root = receiver.spans.find((span) => span.name === `text_completion ${MODEL}`);
  if (root === undefined) throw new Error('no span of the request');
  const spans = receiver.spans.filter((span) => span.traceId === root.traceId);

  const ids = new Set(spans.map((span) => span.spanId));
  expect(spans.filter((span) => !span.parentSpanId)).toEqual([root]);
  expect(spans.filter((s) => s.parentSpanId && !ids.has(s.parentSpanId))).toEqual([]);
  const services = new Set(spans.map((span) => span.resource['service.name']));
  expect(services).toEqual(new Set(['gateway', 'conductor', 'agent', 'engine']));

  const one = (name: string): ReceivedSpan => {
    const found = spans.filter((span) => span.name === name);
    expect(found, name).toHaveLength(1);
    return found[0] as ReceivedSpan;
  };
  const transfer = one('kv.transfer');
  expect(transfer.attributes).toMatchObject({
    'baton.source_worker': 'prefill-1',
    'baton.destination_worker': 'decode-1',
    'baton.transfer.reason': 'handover',
    'baton.backend': 'tcp',
    'baton.tier': 'dram',
    'baton.transfer.status': 'done',
    'baton.segments': Math.floor(PROMPT_TOKENS / 64),
  });
  expect(Number(transfer.attributes['baton.bytes'])).toBeGreaterThan(PROMPT_TOKENS * 256);
  expect(Number(transfer.attributes['baton.bytes_per_sec'])).toBeGreaterThan(0);
  expect(transfer.parentSpanId).toBe(one('plan').spanId);
  expect(one('plan').attributes).toMatchObject({
    'baton.plan.mode': 'disaggregated',
    'baton.matched_tokens': 0,
    'baton.candidates': 1,
    'baton.prefill_worker': 'prefill-1',
    'baton.decode_worker': 'decode-1',
  });
  expect(Number(one('plan').attributes['baton.predicted_ttft_ms'])).toBeGreaterThan(0);
  expect(one('tokenize').attributes).toMatchObject({
    'gen_ai.usage.input_tokens': PROMPT_TOKENS,
  });
  expect(one('engine.prefill').attributes).toMatchObject({
    'baton.computed_tokens': PROMPT_TOKENS,
    'baton.reused_tokens': 0,
  });
  expect(one('engine.decode').attributes).toMatchObject({
    'baton.transferred_tokens': PROMPT_TOKENS,
    'baton.computed_tokens': 0,
  });
  expect(one('engine.prefill').parentSpanId).toBe(one('leg.prefill').spanId);
  expect(one('engine.decode').parentSpanId).toBe(one('leg.decode').spanId);
  expect(root.attributes).toMatchObject({
    'gen_ai.operation.name': 'text_completion',
    'gen_ai.request.model': MODEL,
    'gen_ai.response.model': MODEL,
    'gen_ai.usage.cache_read.input_tokens': 0,
    'baton.outcome': 'finished',
    'http.response.status_code': 200,
    'gen_ai.usage.input_tokens': PROMPT_TOKENS,
    'gen_ai.usage.output_tokens': 8,
  });
});

test('the trace of the client goes on through all of them', async () => {
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const response = await fetch(`${fleet.url}/v1/completions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      traceparent: `00-${traceId}-00f067aa0ba902b7-01`,
    },
    body: JSON.stringify({ model: MODEL, prompt: randomPrompt(2, PROMPT_TOKENS), max_tokens: 4 }),
  });
  expect(response.status).toBe(200);
  const services = (): Set<unknown> =>
    new Set(
      receiver.spans
        .filter((span) => span.traceId === traceId)
        .map((span) => span.resource['service.name']),
    );
  const root = () =>
    receiver.spans.find(
      (span) => span.name === `text_completion ${MODEL}` && span.traceId === traceId,
    );
  // The root ends last, and may be sent after a span of each process has come.
  await receiver.waitFor(() => services().size === 4 && root() !== undefined);
  expect(root()?.parentSpanId).toBe('00f067aa0ba902b7');
});

test('spans have the attributes that the catalogue names, and no others', () => {
  const { gatewayRequest, ...others } = spanDefinitions;
  const undeclared = receiver.spans.flatMap(({ name, attributes }) => {
    const definition = Object.values(others).find((span) => span.name === name) ?? gatewayRequest;
    const declared: string[] = definition.attributes.map((key) => attributeDefinitions[key].name);
    const unknown = Object.keys(attributes).filter((attribute) => !declared.includes(attribute));
    return unknown.map((attribute) => `${name}: ${attribute}`);
  });
  expect([...new Set(undeclared)]).toEqual([]);
});
