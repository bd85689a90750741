import { EngineAccess } from '@baton/engine-clients';
import { sampleBeat } from '@baton/cluster';
import { createCore, type Core } from '@baton/core';
import { createLogger } from '@baton/service';
import type { FastifyInstance } from 'fastify';
import { onTestFinished } from 'vitest';
import { adminApi, type AdminSource } from '../admin-api.ts';
import { AdapterDesk } from '../engines/adapter-desk.ts';
import { WatchedEngines } from '../engines/watched-engines.ts';
import { openIndexer } from '../indexer-server.ts';

function fleet(): Core {
  const core = createCore({ instanceId: 'c' });
  const xor = new Uint8Array(16);
  const tiers = [{ tier: 2, rank: 0, segments: 0, capacitySegments: 64, xor }];
  const counters = { bytesIn: 5 };
  core.step(
    { type: 'beat', beat: sampleBeat({ workerId: 'd1', role: 'decode' }, { tiers }) },
    1000,
  );
  core.step(
    { type: 'beat', beat: sampleBeat({ workerId: 'p1', role: 'prefill' }, { counters }) },
    1000,
  );
  const request = {
    requestId: 'r1',
    model: 'tiny',
    segmentKeys: new Uint8Array(5 * 16),
    promptTokens: 5 * 64,
    maxOutputTokens: 8,
    excludeWorkers: [],
    traceparent: '',
  };
  core.step({ type: 'plan', sessionId: 's1', request }, 1001);
  return core;
}

/** The admin API over a small fleet with one plan. */
export function adminApp(bus = 'connected', isPrefilled = false): FastifyInstance {
  const health = () => ({ bus, sessions: 1, counters: { received: 3 } });
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const indexer = openIndexer({ answers: 'mooncake', log });
  const core = fleet();
  const report = { planId: 'c-1', outputTokens: 1, computedTokens: 320, ttftMs: 90, code: '' };
  if (isPrefilled) {
    core.step(
      { type: 'report', sessionId: 's1', report: { ...report, phase: 'first_token' } },
      1100,
    );
  }
  const treat: AdminSource['treat'] = (model, change) => core.treat(model, change);
  const ending = new AbortController();
  onTestFinished(() => ending.abort());
  const engines = new WatchedEngines({
    ...{ settings: [], access: new EngineAccess(), intervalMs: 20, signal: ending.signal },
    hear: (input) => void core.step(input, 1500),
    misfit: (workerId) => core.view.misfit(workerId),
    using: (workerId) => core.view.using(workerId),
    log: createLogger({ name: 'test', level: 'silent' }),
  });
  const now = () => 1500;
  const adapters = new AdapterDesk({
    ...{ engines, view: core.view, access: new EngineAccess(), now, signal: ending.signal },
    feed: (input) => void core.step(input, 1500),
  });
  const pods = () => undefined;
  return adminApi({ view: core.view, treat, engines, adapters, pods, now, health, indexer });
}
