// Writes the reference pages that are made from code: `node scripts/generate-docs.ts`. test/docs compares them.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { configReference, markdownTable, optionsOf } from '@baton/config';
import { errorRegistry } from '@baton/kv';
import { attributeDefinitions, metricDefinitions, spanDefinitions } from '@baton/telemetry';
import { agentConfigSchema } from '@baton/agent/config';
import { conductorConfigSchema } from '@baton/conductor/config';
import { engineConfigSchema } from '@baton/engine/config';
import { engineSimConfigSchema } from '@baton/engine-sim/config';
import { gatewayConfigSchema } from '@baton/gateway/config';

export interface GeneratedPage {
  /** Relative to the repository root. */
  path: string;
  render: () => string;
}

export const generatedPages: readonly GeneratedPage[] = [
  { path: 'docs/reference/configuration.md', render: renderConfiguration },
  { path: 'docs/reference/errors.md', render: renderErrors },
  { path: 'docs/reference/telemetry.md', render: renderTelemetry },
];

/** Schemas of all processes that read a configuration. */
export const services = {
  gateway: gatewayConfigSchema,
  conductor: conductorConfigSchema,
  agent: agentConfigSchema,
  engine: engineConfigSchema,
  'engine-sim': engineSimConfigSchema,
};

function renderConfiguration(): string {
  const sections = Object.entries(services).map(([name, schema]) =>
    configReference({ name }, optionsOf(schema, 'BATON_')).trim(),
  );
  return [
    '# Configuration',
    '',
    '<!-- Made by scripts/generate-docs.ts from apps/*/src/config.ts. -->',
    '',
    'Each service reads defaults, then the JSON file of `--config FILE`, then the environment, then flags; the later one',
    'counts. Unknown keys are an error. `--print-config` shows the result with secrets hidden. `npm start` has flags of',
    'its own, see [npm start](../npm-start.md).',
    '',
    sections.join('\n\n'),
    '',
  ].join('\n');
}

function renderErrors(): string {
  const rows = Object.entries(errorRegistry)
    .sort(([a], [b]) => a.localeCompare(b, 'en'))
    .map(([code, entry]) => [
      `\`${code}\``,
      String(entry.http),
      entry.grpc,
      `\`${entry.openaiType}\``,
      entry.retryable ? 'yes' : 'no',
      entry.message,
    ]);
  return [
    '# Errors',
    '',
    '<!-- Made by scripts/generate-docs.ts from libs/kv/src/errors.ts. -->',
    '',
    'Every error has one code. HTTP answers carry it as `error.code` of an OpenAI error body, gRPC and NATS answers in',
    'their `code` field. Retryable means that the same request may succeed later or on another worker.',
    '',
    ...markdownTable([['Code', 'HTTP', 'gRPC', 'OpenAI type', 'Retryable', 'Meaning'], ...rows]),
    '',
  ].join('\n');
}

function renderTelemetry(): string {
  const sections = Object.values(spanDefinitions).flatMap((span) => [
    span.name.includes('{') ? `### ${span.name}` : `### \`${span.name}\``,
    '',
    `${span.doc} Started by the ${span.process}, kind ${span.kind}.`,
    '',
    ...span.attributes.map((key) => `- \`${attributeDefinitions[key].name}\``),
    '',
  ]);
  const rows = Object.values(attributeDefinitions).map(({ name, type, doc }) => [
    `\`${name}\``,
    type,
    doc,
  ]);
  const metrics = Object.values(metricDefinitions).map((metric) => [
    `\`${metric.name}\``,
    metric.process,
    metric.kind,
    metric.unit,
    metric.attributes.map((key) => `\`${attributeDefinitions[key].name}\``).join(', '),
    metric.doc,
  ]);
  return [
    '# Telemetry',
    '',
    '<!-- Made by scripts/generate-docs.ts from libs/telemetry/src/catalogue.ts and metric-catalogue.ts. -->',
    '',
    'Spans go to an OTLP endpoint when `OTEL_EXPORTER_OTLP_ENDPOINT`, `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT` or',
    '`OTEL_TRACES_EXPORTER` is set, and to the collector of `npm start`. Otherwise nothing is recorded and no connection is',
    'made; W3C trace context passes through all the same.',
    '',
    '## Spans',
    '',
    ...sections,
    '## Metrics',
    '',
    "The conductor's admin port and the gateway's port have theirs under `/metrics` for Prometheus, with underscores",
    'instead of dots and `_total` behind counters. Series of a worker end with the worker, those of the',
    '[request log](../lab.md#recording-a-log) are there while there is one. They are about the workers that Baton plans',
    'for; engines of [the indexer API](../indexer-api.md) are counted in its `/services`.',
    '',
    ...markdownTable([['Metric', 'Process', 'Kind', 'Unit', 'Attributes', 'Meaning'], ...metrics]),
    '',
    '## Attributes',
    '',
    ...markdownTable([['Attribute', 'Type', 'Meaning'], ...rows]),
    '',
  ].join('\n');
}

if (process.argv[1] === import.meta.filename) {
  for (const page of generatedPages) {
    const file = path.join(import.meta.dirname, '..', page.path);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, page.render());
  }
}
