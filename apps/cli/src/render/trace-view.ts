import { attributes as names } from '@baton/telemetry';
import {
  buildSpanTree,
  isComplete,
  walk,
  type SpanNode,
  type SpanTree,
} from '../trace/span-tree.ts';
import type { SpanRecord } from '../trace/otlp-json.ts';
import type { StoredTrace } from '../trace/trace-store.ts';
import { formatCount, formatMs } from './quantities.ts';
import { numberOf, spanDetails, textOf } from './span-details.ts';
import { clip, padEnd, padStart, printable, visibleWidth, type Paint } from './terminal-text.ts';

const barWidth = 24;
const barFromColumns = 140;

export interface TraceViewOptions {
  paint: Paint;
  /** Columns of the terminal; undefined prints lines whole. */
  columns: number | undefined;
}

/** The tree of one trace: offsets, durations, processes, tokens and bytes. */
export function renderTrace(trace: StoredTrace, { paint, columns }: TraceViewOptions): string[] {
  const tree = buildSpanTree(trace.spans);
  const tops = [...(tree.root ? [tree.root] : []), ...tree.orphans];
  const startMs = Math.min(...trace.spans.map((span) => span.startMs));
  const endMs = Math.max(...trace.spans.map((span) => span.endMs));
  const rows = tops.flatMap((top) => [...walk(top)]);
  const nameWidth = Math.max(
    4,
    ...rows.map(({ node, branch }) => visibleWidth(branch + nameOf(node))),
  );
  const processWidth = Math.max(7, ...rows.map(({ node }) => processOf(node.span).length));
  const withBar = columns !== undefined && columns >= barFromColumns;
  const lines = [...headLines(trace, tree, paint), ''];
  const head = [
    padStart('start', 8),
    padStart('took', 8),
    ...(withBar ? [' '.repeat(barWidth)] : []),
    padEnd('span', nameWidth),
    padEnd('process', processWidth),
    'what',
  ];
  lines.push(paint.dim(head.join('  ')));
  for (const { node, branch } of rows) {
    const { span } = node;
    const name = printable(nameOf(node));
    const details = printable(spanDetails(span).join(' · '));
    const cells = [
      padStart(formatMs(span.startMs - startMs), 8),
      padStart(formatMs(span.endMs - span.startMs), 8),
      ...(withBar ? [paint.cyan(bar(span, startMs, endMs))] : []),
      padEnd(paint.dim(branch) + (span.failed ? paint.red(name) : paint.bold(name)), nameWidth),
      padEnd(printable(processOf(span)), processWidth),
      span.failed ? paint.red(details) : details,
    ];
    lines.push(cells.join('  ').trimEnd());
  }
  return columns === undefined ? lines : lines.map((line) => clip(line, columns));
}

function headLines(trace: StoredTrace, tree: SpanTree, paint: Paint): string[] {
  const lines: string[] = [];
  const root = tree.root?.span;
  if (root === undefined) {
    lines.push(`trace ${trace.traceId}`);
    lines.push(paint.yellow('unfinished: the span of the request itself has not arrived'));
  } else {
    const outcome = textOf(root.attributes, names.outcome) ?? (root.failed ? 'failed' : 'finished');
    const took = formatMs(root.endMs - root.startMs);
    lines.push(
      `${paint.bold(printable(root.name))} · ${outcome} in ${took} · trace ${trace.traceId}`,
    );
    const facts = requestFacts(root);
    if (facts.length > 0) lines.push(printable(facts.join(' · ')));
    if (!isComplete(tree)) {
      lines.push(
        paint.yellow(`incomplete: the parent of ${tree.orphans.length} span(s) has not arrived`),
      );
    }
  }
  if (trace.droppedSpans > 0) {
    lines.push(paint.yellow(`${trace.droppedSpans} more spans were not kept`));
  }
  return lines;
}

function requestFacts({ attributes: a }: SpanRecord): string[] {
  const prefill = textOf(a, names.prefillWorker);
  const decode = textOf(a, names.decodeWorker);
  const prompt = numberOf(a, names.inputTokens);
  const cached = numberOf(a, names.cachedInputTokens);
  const output = numberOf(a, names.outputTokens);
  const firstSec = numberOf(a, names.timeToFirstChunk);
  const facts: string[] = [];
  if (decode !== undefined) {
    facts.push(
      prefill === decode || prefill === undefined ? `${decode} alone` : `${prefill} → ${decode}`,
    );
  }
  if (prompt !== undefined) {
    const reuse = cached === undefined ? '' : `, ${formatCount(cached)} of them cached`;
    facts.push(`${formatCount(prompt)} prompt tokens${reuse}`);
  }
  if (output !== undefined) facts.push(`${formatCount(output)} output tokens`);
  if (firstSec !== undefined) facts.push(`first token after ${formatMs(firstSec * 1000)}`);
  return facts;
}

function nameOf({ span }: SpanNode): string {
  return span.name;
}

/** `agent decode-1`: the service, and which worker's; what else an instance is called says nothing to a person. */
function processOf({ service, instance }: SpanRecord): string {
  const isWorker = instance !== undefined && /^[a-z]+-\d+$/i.test(instance);
  return isWorker ? `${service} ${instance}` : service;
}

function bar(span: SpanRecord, startMs: number, endMs: number): string {
  const scale = barWidth / Math.max(endMs - startMs, 0.001);
  const from = Math.min(barWidth - 1, Math.floor((span.startMs - startMs) * scale));
  const to = Math.max(from + 1, Math.min(barWidth, Math.round((span.endMs - startMs) * scale)));
  return '·'.repeat(from) + '█'.repeat(to - from) + '·'.repeat(barWidth - to);
}

/** One line for each trace, newest first. */
export function renderTraceList(
  traces: readonly StoredTrace[],
  { paint, columns, nowMs }: TraceViewOptions & { nowMs: number },
): string[] {
  const lines = traces.map((trace) => {
    const { root } = buildSpanTree(trace.spans);
    const startMs = Math.min(...trace.spans.map((span) => span.startMs));
    const age = padStart(`${formatMs(Math.max(0, nowMs - startMs))} ago`, 14);
    const spanCount = padStart(`${trace.spans.length} spans`, 10);
    const what =
      root === undefined
        ? paint.yellow('unfinished')
        : [
            root.span.name,
            formatMs(root.span.endMs - root.span.startMs),
            ...requestFacts(root.span),
          ].join(' · ');
    return `${trace.traceId}  ${age}  ${spanCount}  ${root === undefined ? what : printable(what)}`;
  });
  return columns === undefined ? lines : lines.map((line) => clip(line, columns));
}
