import { attributes as names, spans } from '@baton/telemetry';
import type { AttributeValue, SpanRecord } from '../trace/otlp-json.ts';
import { formatBytes, formatCount, formatMs, formatRate } from './quantities.ts';

type Attributes = Readonly<Record<string, AttributeValue>>;

/** What a span of the catalogue says beyond its times, as short phrases. */
export function spanDetails(span: SpanRecord): string[] {
  const { attributes: a } = span;
  const details = [...phrasesOf(span)];
  const retries = numberOf(a, names.legRetry);
  if (retries !== undefined && retries > 0) details.push(`try ${retries + 1}`);
  if (span.failed || names.errorType in a) {
    const what = textOf(a, names.errorType) ?? span.statusMessage;
    details.push(what === undefined ? 'failed' : `failed: ${what}`);
  }
  return details;
}

function phrasesOf({ name, attributes: a }: SpanRecord): string[] {
  return phrases(name, a).filter((phrase) => phrase !== undefined);
}

function phrases(name: string, a: Attributes): (string | undefined)[] {
  switch (name) {
    case spans.tokenize:
      return [tokens(a, names.inputTokens, 'tokens'), textOf(a, names.worker)];
    case spans.plan:
      return [
        textOf(a, names.planMode),
        tokens(a, names.matchedTokens, 'matched'),
        tokens(a, names.candidates, 'candidates'),
        millis(a, names.predictedTtftMs, 'predicted TTFT'),
      ];
    case spans.kvTransfer:
      return transferPhrases(a);
    case spans.kvLoad:
      return [
        textOf(a, names.worker),
        tokens(a, names.segments, 'segments'),
        tokens(a, names.transferredSegments, 'moved'),
        bytesOf(a),
        `${textOf(a, names.tier) ?? '?'} into the engine`,
      ];
    case spans.kvHandover:
      return [
        `${textOf(a, names.sourceWorker) ?? '?'} → ${textOf(a, names.destinationWorker) ?? '?'}`,
        textOf(a, names.backend),
        tokens(a, names.inputTokens, 'prompt tokens'),
        tokens(a, names.transferredTokens, 'moved'),
      ];
    case spans.legPrefill:
    case spans.legDecode:
    case spans.legAggregated:
      return [textOf(a, names.worker), ...accounting(a), tokens(a, names.outputTokens, 'output')];
    case spans.enginePrefill:
    case spans.engineDecode:
      return [...accounting(a), tokens(a, names.outputTokens, 'output')];
    default:
      return [
        tokens(a, names.inputTokens, 'prompt'),
        tokens(a, names.cachedInputTokens, 'cached'),
        tokens(a, names.outputTokens, 'output'),
        textOf(a, names.outcome),
      ];
  }
}

function transferPhrases(a: Attributes): (string | undefined)[] {
  const source = textOf(a, names.sourceWorker);
  const destination = textOf(a, names.destinationWorker);
  const bytes = numberOf(a, names.bytes);
  const rate = numberOf(a, names.bytesPerSec);
  const backend = textOf(a, names.backend);
  const tier = textOf(a, names.tier);
  return [
    source === undefined ? undefined : `${source} → ${destination ?? '?'}`,
    textOf(a, names.transferReason),
    numberOf(a, names.segments) === 0 && bytes !== undefined && bytes > 0
      ? 'tail only'
      : tokens(a, names.segments, 'segments'),
    bytesOf(a),
    rate === undefined || rate === 0 ? undefined : formatRate(rate),
    backend === undefined ? undefined : `${backend}${tier === undefined ? '' : ` into ${tier}`}`,
    unlessDone(textOf(a, names.transferStatus)),
  ];
}

function bytesOf(a: Attributes): string | undefined {
  const bytes = numberOf(a, names.bytes);
  return bytes === undefined ? undefined : formatBytes(bytes);
}

function unlessDone(status: string | undefined): string | undefined {
  return status === 'done' ? undefined : status;
}

function accounting(a: Attributes): (string | undefined)[] {
  return [
    tokens(a, names.reusedTokens, 'reused'),
    tokens(a, names.transferredTokens, 'moved'),
    tokens(a, names.computedTokens, 'computed'),
  ];
}

function tokens(a: Attributes, key: string, word: string): string | undefined {
  const value = numberOf(a, key);
  return value === undefined ? undefined : `${formatCount(value)} ${word}`;
}

function millis(a: Attributes, key: string, word: string): string | undefined {
  const value = numberOf(a, key);
  return value === undefined ? undefined : `${word} ${formatMs(value)}`;
}

export function textOf(a: Attributes, key: string): string | undefined {
  const value = a[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function numberOf(a: Attributes, key: string): number | undefined {
  const value = a[key];
  return typeof value === 'number' ? value : undefined;
}
