import type { MetricData, ResourceMetrics } from '@opentelemetry/sdk-metrics';
import { attributeDefinitions, type AttributeKey } from './catalogue.ts';
import { HistogramCounts } from './histogram-counts.ts';
import { metricDefinitions, type MetricDefinition, type MetricKey } from './metric-catalogue.ts';

export type MetricLabels = Readonly<Partial<Record<AttributeKey, string>>>;

/** Tells the value of a gauge or counter as it is now. */
export type MetricReport = (metric: MetricKey, value: number, labels?: MetricLabels) => void;

export interface MetricsOptions {
  /** Whose metrics of the catalogue these are; `service.name`. */
  process: string;
  /** Called at each scrape. */
  observe: (report: MetricReport) => void;
}

/** Metrics of this process in the text form of Prometheus. */
export interface Metrics {
  readonly contentType: string;
  /** Everything as it is now. */
  scrape(): Promise<string>;
  /** Adds to a histogram. */
  record(metric: MetricKey, value: number): void;
}

interface Point {
  value: number;
  attributes: Record<string, string>;
}

type Time = [number, number];

/**
 * Gauges and counters are asked for at each scrape and nothing of them is kept: what a worker had is
 * gone with the worker. The SDK, which keeps every series that it has seen, only writes the text; it
 * is loaded with the first scrape.
 */
export function createMetrics({ process, observe }: MetricsOptions): Metrics {
  const startTime = timeNow();
  const own = (Object.entries(metricDefinitions) as [MetricKey, MetricDefinition][]).filter(
    ([, definition]) => definition.process === process,
  );
  const histograms = new Map(
    own
      .filter(([, { kind }]) => kind === 'histogram')
      .map(([key, { bounds }]) => [key, new HistogramCounts(bounds ?? [])]),
  );
  return {
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
    record: (metric, value) => histograms.get(metric)?.record(value),
    scrape: async () => {
      const sdk = await import('@opentelemetry/sdk-metrics');
      const { resourceFromAttributes } = await import('@opentelemetry/resources');
      const { PrometheusSerializer } = await import('@opentelemetry/exporter-prometheus');
      const points = pointsOf(observe);
      const metrics = own.map(([key, definition]): MetricData => {
        const { name, unit, doc, kind } = definition;
        const base = {
          descriptor: { name, unit, description: doc, valueType: 1 },
          aggregationTemporality: sdk.AggregationTemporality.CUMULATIVE,
        };
        const times = { startTime, endTime: timeNow() };
        const counts = histograms.get(key);
        if (counts !== undefined) {
          const dataPoints = [{ ...times, attributes: {}, value: counts.value() }];
          return { ...base, dataPointType: sdk.DataPointType.HISTOGRAM, dataPoints };
        }
        return {
          ...base,
          dataPointType: kind === 'counter' ? sdk.DataPointType.SUM : sdk.DataPointType.GAUGE,
          isMonotonic: kind === 'counter',
          dataPoints: (points.get(key) ?? []).map((point) => ({ ...times, ...point })),
        } as MetricData;
      });
      const all: ResourceMetrics = {
        resource: resourceFromAttributes({ 'service.name': process }),
        scopeMetrics: [{ scope: { name: 'baton' }, metrics }],
      };
      return new PrometheusSerializer('', false, undefined, false, true).serialize(all);
    },
  };
}

function pointsOf(observe: MetricsOptions['observe']): Map<MetricKey, Point[]> {
  const points = new Map<MetricKey, Point[]>();
  observe((metric, value, labels = {}) => {
    const attributes = Object.fromEntries(
      Object.entries(labels).map(([key, label]) => [
        attributeDefinitions[key as AttributeKey].name,
        label,
      ]),
    );
    const known = points.get(metric);
    if (known === undefined) points.set(metric, [{ value, attributes }]);
    else known.push({ value, attributes });
  });
  return points;
}

/** Seconds and nanoseconds. */
function timeNow(): Time {
  const nowMs = Date.now();
  return [Math.floor(nowMs / 1000), (nowMs % 1000) * 1e6];
}
