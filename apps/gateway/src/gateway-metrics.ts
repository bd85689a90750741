import { createMetrics, type Metrics } from '@baton/telemetry';
import type { RequestLogStatus } from './request-log/request-log.ts';

export interface GatewayMetricsSource {
  openRequests: () => number;
  turns: { readonly size: number; readonly taken: number };
  /** Undefined where requests are not recorded. */
  requestLog: () => RequestLogStatus | undefined;
}

/** What the gateway says of itself at each scrape. */
export function gatewayMetrics({ openRequests, turns, requestLog }: GatewayMetricsSource): Metrics {
  return createMetrics({
    process: 'gateway',
    observe: (report) => {
      report('requestsOpen', openRequests());
      report('turnsKept', turns.size);
      report('turnsRead', turns.taken);
      const status = requestLog();
      if (status === undefined) return;
      report('requestLogRecording', status.state === 'recording' ? 1 : 0);
      report('requestLogLines', status.lines);
      report('requestLogSize', status.sizeBytes);
      report('requestLogHeld', status.held);
      report('requestLogCut', status.cut);
      for (const [leftOutReason, requests] of Object.entries(status.leftOut)) {
        report('requestLogLeftOut', requests, { leftOutReason });
      }
    },
  });
}
