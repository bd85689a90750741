import { randomFillSync } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectBus, type Bus } from '@baton/bus';
import { KEY_BYTES, Tier, tierName } from '@baton/kv';
import {
  startNatsServer,
  startService,
  type NatsServer,
  type ServiceProcess,
} from '@baton/test-kit';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { KnowledgeAgent, type KnowledgePlace } from '../kit/knowledge-agent.ts';

/** Two conductors with the whole index each, agents with 100,000 segments together, a real nats-server. */

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
/** For polls: bounds a failure, not a speed. */
const SOON = { timeout: 120_000, interval: 200 };
const BEAT_MS = 300;
const AGENTS = 4;
const SEGMENTS_PER_AGENT = 25_000;
const KEYS_PER_DELTA = 500;
const PLACES: readonly KnowledgePlace[] = [
  { rank: 0, tier: Tier.HBM, resumePoints: false },
  { rank: 1, tier: Tier.HBM, resumePoints: false },
  { rank: 0, tier: Tier.DRAM, resumePoints: false },
  { rank: 1, tier: Tier.HOST, resumePoints: false },
  { rank: 0, tier: Tier.STORAGE, resumePoints: false },
  { rank: 1, tier: Tier.HBM, resumePoints: true },
];

vi.setConfig({ testTimeout: 300_000 });

let nats: NatsServer;
let conductors: ServiceProcess[];
let agents: KnowledgeAgent[];
let buses: Bus[];

async function startConductor(name: string): Promise<ServiceProcess> {
  const args = ['--nats-url', nats.url, '--grpc-port', '0', '--admin-port', '0'];
  return startService('conductor', name, args);
}

beforeAll(async () => {
  nats = await startNatsServer();
  conductors = await Promise.all([startConductor('a'), startConductor('b')]);
  buses = await Promise.all(
    Array.from({ length: AGENTS }, (_, i) =>
      connectBus({ url: nats.url, name: `agent ${i}`, log: silent }),
    ),
  );
  agents = buses.map((bus, i) => new KnowledgeAgent(bus, `w${i}`, i % 2 === 1));
  await Promise.all(buses.map((bus) => bus.flush()));
  for (const agent of agents) agent.start(BEAT_MS);
});
afterAll(async () => {
  for (const agent of agents) agent.stop();
  await Promise.all(buses.map((bus) => bus.close()));
  await Promise.all(conductors.map((conductor) => conductor.stop()));
  await nats.stop();
});

const newKeys = (count: number): Uint8Array => randomFillSync(new Uint8Array(count * KEY_BYTES));

function fill(agent: KnowledgeAgent, segments: number): void {
  for (let done = 0; done < segments; done += KEYS_PER_DELTA) {
    const place = PLACES[(done / KEYS_PER_DELTA) % PLACES.length];
    if (place !== undefined) agent.store(place, newKeys(KEYS_PER_DELTA));
  }
}

/** Removes a part of what it holds, clears a place, stores some more. */
function churn(agent: KnowledgeAgent): void {
  agent.places().forEach((place, i) => {
    const hex = [...place.keys].slice(0, 700).join('');
    if (i === 4) agent.clear(place);
    else agent.remove(place, Buffer.from(hex, 'hex'));
  });
  fill(agent, 2000);
}

interface DumpLine {
  worker: string;
  rank: number;
  tier: string;
  holding?: string;
  key: string;
}

/** What a conductor holds too much or too little, by worker and place; empty when it has exactly the union. */
async function differences(conductor: ServiceProcess): Promise<string[]> {
  const answer = await fetch(`${conductor.endpoints['admin']}/index/dump`);
  const indexed = new Map<string, Set<string>>();
  for (const line of (await answer.text()).split('\n')) {
    if (line === '') continue;
    const { worker, rank, tier, holding = 'kv', key } = JSON.parse(line) as DumpLine;
    const name = `${worker} ${rank} ${tier} ${holding}`;
    const keys = indexed.get(name) ?? new Set<string>();
    indexed.set(name, keys.add(key));
  }
  const found: string[] = [];
  for (const agent of agents) {
    for (const { rank, tier, resumePoints, keys } of agent.places()) {
      const holding = resumePoints ? 'resumePoints' : 'kv';
      const name = `${agent.workerId} ${rank} ${tierName(tier as Tier)} ${holding}`;
      const ours = indexed.get(name) ?? new Set<string>();
      indexed.delete(name);
      const missing = [...keys].filter((key) => !ours.has(key)).length;
      const stale = [...ours].filter((key) => !keys.has(key)).length;
      if (missing + stale > 0) found.push(`${name}: ${missing} missing, ${stale} stale`);
    }
  }
  return [...found, ...[...indexed.keys()].map((name) => `${name}: all stale`)];
}

interface IndexAnswer {
  stats: { replicas: number };
  workers: {
    workerId: string;
    sync: { synced: boolean; lastDeltaSeq: number; counters: { mismatches: number } };
  }[];
}

async function index(conductor: ServiceProcess | undefined): Promise<IndexAnswer> {
  const answer = await fetch(`${conductor?.endpoints['admin']}/index`);
  return (await answer.json()) as IndexAnswer;
}

/** Waits until the last delta of each agent is known, which is cheap to ask, and compares then. */
async function bothAgree(): Promise<void> {
  const said = agents.map(({ workerId, seq }) => `${workerId} ${seq}`);
  for (const conductor of conductors) {
    const heard = async (): Promise<string[]> => {
      const { workers } = await index(conductor);
      const synced = workers.filter(({ sync }) => sync.synced);
      return synced.map(({ workerId, sync }) => `${workerId} ${sync.lastDeltaSeq}`).sort();
    };
    await expect.poll(heard, SOON).toEqual(said);
    // An agent that was restarted may have come to the number that its former life had.
    await expect.poll(() => differences(conductor), SOON).toEqual([]);
  }
}

test('100,000 segments of four workers, two ranks and five tiers are in both conductors, exactly', async () => {
  for (const agent of agents) fill(agent, SEGMENTS_PER_AGENT);
  await bothAgree();
  expect((await index(conductors[0])).stats.replicas).toBe(AGENTS * SEGMENTS_PER_AGENT);
  for (const agent of agents) churn(agent);
  await bothAgree();
  // Over a connection that holds deltas are enough.
  expect(agents.map(({ snapshots }) => snapshots)).toEqual(agents.map(() => 0));
});

test('a conductor that is killed has its whole index back, while deltas go on', async () => {
  await conductors[0]?.kill();
  for (const agent of agents) churn(agent);
  conductors[0] = await startConductor('a again');
  for (let i = 0; i < 5; i += 1) {
    for (const agent of agents) churn(agent);
    await sleep(100);
  }
  await bothAgree();
  for (const agent of agents) expect(agent.snapshots).toBeGreaterThan(0);
});

test('NATS cut off and back: what was given up meanwhile is made good in both', async () => {
  await nats.kill();
  await expect.poll(() => buses.map((bus) => bus.status()), SOON).not.toContain('connected');
  for (const agent of agents) churn(agent);
  agents[0]?.restart();
  await nats.restart();
  for (const agent of agents) churn(agent);
  await bothAgree();
  // In the middle of snapshots, too.
  await nats.kill();
  await nats.restart();
  for (const agent of agents) churn(agent);
  await bothAgree();
});

test('an agent that is restarted under its id leaves nothing of its former life', async () => {
  agents[1]?.restart();
  agents[1]?.beat();
  if (agents[1] !== undefined) fill(agents[1], 3000);
  await bothAgree();
  for (const conductor of conductors) {
    const { workers } = await index(conductor);
    expect(workers.map(({ sync }) => sync.counters.mismatches)).toEqual(agents.map(() => 0));
    const metrics = await (await fetch(`${conductor.endpoints['admin']}/metrics`)).text();
    expect(metrics).toMatch(/^baton_index_synced\{baton_worker="w1"\} 1$/m);
  }
});
