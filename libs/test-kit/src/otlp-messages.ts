import protobuf from 'protobufjs';

/** What a test looks at of an exported span; both encodings of OTLP end here. */
export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  /** Empty for a root. */
  parentSpanId: string;
  name: string;
  /** 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  kind: number;
  startTimeUnixNano: bigint;
  endTimeUnixNano: bigint;
  attributes: Record<string, unknown>;
  /** 2 for an error. */
  statusCode: number;
  service: string;
  resource: Record<string, unknown>;
}

/** The fields of OTLP 1.x that this kit reads; everything else is skipped by the decoder. */
const SCHEMA = `
syntax = "proto3";
message AnyValue {
  oneof value {
    string stringValue = 1; bool boolValue = 2; int64 intValue = 3; double doubleValue = 4;
    ArrayValue arrayValue = 5; bytes bytesValue = 7;
  }
}
message ArrayValue { repeated AnyValue values = 1; }
message KeyValue { string key = 1; AnyValue value = 2; }
message Status { string message = 2; int32 code = 3; }
message Span {
  bytes traceId = 1; bytes spanId = 2; bytes parentSpanId = 4; string name = 5; int32 kind = 6;
  fixed64 startTimeUnixNano = 7; fixed64 endTimeUnixNano = 8; repeated KeyValue attributes = 9;
  Status status = 15;
}
message ScopeSpans { repeated Span spans = 2; }
message Resource { repeated KeyValue attributes = 1; }
message ResourceSpans { Resource resource = 1; repeated ScopeSpans scopeSpans = 2; }
message ExportTraceServiceRequest { repeated ResourceSpans resourceSpans = 1; }
`;

interface AnyValue {
  stringValue?: string;
  boolValue?: boolean;
  intValue?: string | number;
  doubleValue?: number;
  arrayValue?: { values?: AnyValue[] };
}
interface KeyValue {
  key: string;
  value?: AnyValue;
}
interface WireSpan {
  /** Hex in JSON, bytes in protobuf. */
  traceId: string | Uint8Array;
  spanId: string | Uint8Array;
  parentSpanId?: string | Uint8Array;
  name: string;
  kind?: number;
  startTimeUnixNano: string | number;
  endTimeUnixNano: string | number;
  attributes?: KeyValue[];
  status?: { code?: number };
}
interface WireRequest {
  resourceSpans?: {
    resource?: { attributes?: KeyValue[] };
    scopeSpans?: { spans?: WireSpan[] }[];
  }[];
}

const requestType = protobuf
  .parse(SCHEMA, { keepCase: true })
  .root.lookupType('ExportTraceServiceRequest');

function plain(value: AnyValue | undefined): unknown {
  if (!value) return undefined;
  if (value.arrayValue) return (value.arrayValue.values ?? []).map(plain);
  if (value.intValue !== undefined) return Number(value.intValue);
  return value.stringValue ?? value.boolValue ?? value.doubleValue;
}

function id(value: string | Uint8Array = ''): string {
  return typeof value === 'string' ? value : Buffer.from(value).toString('hex');
}

function record(attributes: KeyValue[] = []): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, plain(value)]));
}

function flatten(request: WireRequest): ReceivedSpan[] {
  return (request.resourceSpans ?? []).flatMap((entry) => {
    const resource = record(entry.resource?.attributes);
    const spans = (entry.scopeSpans ?? []).flatMap((scope) => scope.spans ?? []);
    return spans.map((span) => ({
      traceId: id(span.traceId),
      spanId: id(span.spanId),
      parentSpanId: id(span.parentSpanId),
      name: span.name,
      kind: span.kind ?? 0,
      startTimeUnixNano: BigInt(span.startTimeUnixNano),
      endTimeUnixNano: BigInt(span.endTimeUnixNano),
      attributes: record(span.attributes),
      statusCode: span.status?.code ?? 0,
      service: String(resource['service.name']),
      resource,
    }));
  });
}

/** A body of `application/json`. */
export function spansFromJson(body: Uint8Array): ReceivedSpan[] {
  return flatten(JSON.parse(Buffer.from(body).toString('utf8')) as WireRequest);
}

/** A body of `application/x-protobuf`. */
export function spansFromProtobuf(body: Uint8Array): ReceivedSpan[] {
  return flatten(requestType.toObject(requestType.decode(body), { longs: String }) as WireRequest);
}
