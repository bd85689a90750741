import { field, isObject, list } from '../json-fields.ts';

/** A span as the collector keeps it. */
export interface SpanRecord {
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  name: string;
  service: string;
  /** `service.instance.id`, e.g. the worker. */
  instance: string | undefined;
  startMs: number;
  endMs: number;
  failed: boolean;
  statusMessage: string | undefined;
  attributes: Record<string, AttributeValue>;
}

export type AttributeValue = string | number | boolean | string[];

const maxAttributes = 64;
const maxTextChars = 1024;

/**
 * Spans of an OTLP/HTTP JSON export request, and how many entries were no spans.
 *
 * Throws TypeError when the body as a whole is not such a request. Fields that nobody shows are dropped here.
 */
export function readOtlpJson(body: unknown): { spans: SpanRecord[]; rejected: number } {
  if (!isObject(body) || !Array.isArray(body['resourceSpans'])) {
    throw new TypeError('resourceSpans must be a list');
  }
  const spans: SpanRecord[] = [];
  let rejected = 0;
  for (const resourceSpans of list(body['resourceSpans'])) {
    const resource = attributesOf(child(resourceSpans, 'resource'));
    const service = String(resource['service.name'] ?? 'unknown');
    const instance = resource['service.instance.id'];
    for (const scopeSpans of list(field(resourceSpans, 'scopeSpans'))) {
      for (const entry of list(field(scopeSpans, 'spans'))) {
        const span = readSpan(entry);
        if (span === undefined) rejected++;
        else
          spans.push({
            ...span,
            service,
            instance: instance === undefined ? undefined : String(instance),
          });
      }
    }
  }
  return { spans, rejected };
}

function readSpan(entry: unknown): Omit<SpanRecord, 'service' | 'instance'> | undefined {
  if (!isObject(entry)) return undefined;
  const { traceId, spanId, parentSpanId, name, status } = entry;
  const startMs = nanosToMs(entry['startTimeUnixNano']);
  const endMs = nanosToMs(entry['endTimeUnixNano']);
  if (!isHex(traceId, 32) || !isHex(spanId, 16) || typeof name !== 'string') return undefined;
  if (startMs === undefined || endMs === undefined) return undefined;
  const statusCode = isObject(status) ? status['code'] : undefined;
  const statusMessage = isObject(status) ? status['message'] : undefined;
  return {
    traceId: traceId.toLowerCase(),
    spanId: spanId.toLowerCase(),
    parentSpanId: isHex(parentSpanId, 16) ? parentSpanId.toLowerCase() : undefined,
    name: name.slice(0, maxTextChars),
    startMs,
    endMs,
    failed: statusCode === 2 || statusCode === 'STATUS_CODE_ERROR',
    statusMessage:
      typeof statusMessage === 'string' && statusMessage !== ''
        ? statusMessage.slice(0, maxTextChars)
        : undefined,
    attributes: attributesOf(entry),
  };
}

function attributesOf(holder: Record<string, unknown>): Record<string, AttributeValue> {
  const attributes: Record<string, AttributeValue> = {};
  for (const entry of list(holder['attributes']).slice(0, maxAttributes)) {
    if (!isObject(entry) || typeof entry['key'] !== 'string') continue;
    const value = readValue(entry['value']);
    if (value !== undefined) attributes[entry['key'].slice(0, maxTextChars)] = value;
  }
  return attributes;
}

function readValue(value: unknown): AttributeValue | undefined {
  if (!isObject(value)) return undefined;
  const { stringValue, intValue, doubleValue, boolValue, arrayValue } = value;
  if (typeof stringValue === 'string') return stringValue.slice(0, maxTextChars);
  if (typeof boolValue === 'boolean') return boolValue;
  // 64-bit integers are strings in protobuf's JSON.
  if (typeof intValue === 'string' || typeof intValue === 'number') return Number(intValue);
  if (typeof doubleValue === 'number') return doubleValue;
  if (isObject(arrayValue)) {
    const values = list(arrayValue['values']).slice(0, maxAttributes).map(readValue);
    return values.filter((item) => item !== undefined).map(String);
  }
  return undefined;
}

function nanosToMs(nanos: unknown): number | undefined {
  if (typeof nanos === 'string' && /^\d{1,20}$/.test(nanos)) {
    // Microseconds as an integer keep their precision in a double; nanoseconds do not.
    return Number(BigInt(nanos) / 1000n) / 1000;
  }
  return typeof nanos === 'number' && Number.isFinite(nanos) ? nanos / 1e6 : undefined;
}

function isHex(value: unknown, chars: number): value is string {
  return typeof value === 'string' && value.length === chars && /^[0-9a-f]+$/i.test(value);
}

function child(value: unknown, key: string): Record<string, unknown> {
  const inner = field(value, key);
  return isObject(inner) ? inner : {};
}
