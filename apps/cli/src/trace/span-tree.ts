import type { SpanRecord } from './otlp-json.ts';

export interface SpanNode {
  span: SpanRecord;
  children: SpanNode[];
}

export interface SpanTree {
  /** The request itself; undefined while it has not ended. */
  root: SpanNode | undefined;
  /** Spans whose parent is not there (yet). */
  orphans: SpanNode[];
}

/** Puts the spans of one trace under their parents, each level by start. */
export function buildSpanTree(spans: readonly SpanRecord[]): SpanTree {
  const nodes = new Map(spans.map((span) => [span.spanId, { span, children: [] as SpanNode[] }]));
  const tops: SpanNode[] = [];
  for (const node of nodes.values()) {
    const { parentSpanId, spanId } = node.span;
    const parent = parentSpanId === spanId ? undefined : nodes.get(parentSpanId ?? '');
    (parent?.children ?? tops).push(node);
  }
  const byStart = (a: SpanNode, b: SpanNode): number => a.span.startMs - b.span.startMs;
  for (const node of nodes.values()) node.children.sort(byStart);
  tops.sort(byStart);
  // The client may have sent a trace context: then the gateway's span has a parent that nobody exports.
  const root =
    tops.find(({ span }) => span.parentSpanId === undefined) ??
    tops.find(({ span }) => 'gen_ai.operation.name' in span.attributes);
  return { root, orphans: tops.filter((node) => node !== root) };
}

/** True when the request has ended and every span hangs below it. */
export function isComplete({ root, orphans }: SpanTree): boolean {
  return root !== undefined && orphans.length === 0;
}

/** Depth first, with the branch lines that lead to each node. */
export function* walk(
  node: SpanNode,
  prefix = '',
  isLast = true,
  isTop = true,
): Generator<{ node: SpanNode; branch: string }> {
  yield { node, branch: isTop ? '' : `${prefix}${isLast ? '└─ ' : '├─ '}` };
  const inner = isTop ? '' : `${prefix}${isLast ? '   ' : '│  '}`;
  for (const [i, childNode] of node.children.entries()) {
    yield* walk(childNode, inner, i === node.children.length - 1, false);
  }
}
