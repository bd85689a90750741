import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { connectBus } from '@baton/bus';
import type { Bus } from '@baton/bus';
import { keyHex, unpackKeys, xorKeys } from '@baton/kv';
import { baton } from '@baton/proto';
import { eventually, startNatsServer, type NatsServer } from '@baton/test-kit';
import { Agent } from '../agent.ts';
import { agentConfigSchema } from '../config.ts';
import { packHex } from '../core/packed-keys.ts';
import { FakeEngine } from './fake-engine.ts';

const quiet = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

export interface LoggedLine {
  level: keyof typeof quiet;
  event: string;
  code: string;
  message: string;
}

export interface TestWorker {
  id: string;
  agent: Agent;
  engine: FakeEngine;
  socketPath: string;
}

/** Agents with fake engines on a real NATS, and a conductor's ears. */
export class TestFleet {
  readonly nats: NatsServer;
  readonly bus: Bus;
  readonly folder: string;
  readonly workers: TestWorker[] = [];
  readonly beats = new Map<string, baton.v1.WorkerBeat>();
  readonly states: string[] = [];
  readonly results: baton.v1.TransferResult[] = [];
  /** Why agents said that they cannot be of use. */
  readonly fatal: string[] = [];
  /** What the agents logged. */
  readonly logged: LoggedLine[] = [];
  /** Deltas by worker, and what follows from them. */
  readonly deltas = new Map<string, baton.v1.KvDelta[]>();
  #orders = 0;

  private constructor(nats: NatsServer, bus: Bus, folder: string) {
    this.nats = nats;
    this.bus = bus;
    this.folder = folder;
    bus.onBeat((beat) => {
      const id = beat.worker?.workerId ?? '';
      this.beats.set(id, beat);
      this.states.push(`${id} ${baton.v1.WorkerState[beat.state]}`);
    });
    bus.onDelta((delta) => {
      this.deltas.set(delta.workerId, [...(this.deltas.get(delta.workerId) ?? []), delta]);
    });
    bus.onTransferred((result) => void this.results.push(result));
  }

  static async start(): Promise<TestFleet> {
    const nats = await startNatsServer();
    const bus = await connectBus({ url: nats.url, name: 'test', log: quiet });
    const folder = mkdtempSync(path.join(tmpdir(), 'baton-a-'));
    return new TestFleet(nats, bus, folder);
  }

  async addAgent(id: string, settings: object = {}): Promise<Agent> {
    const config = agentConfigSchema.parse({
      workerId: id,
      role: id.startsWith('p') ? 'prefill' : 'decode',
      natsUrl: this.nats.url,
      socketPath: this.socketPath(id),
      arenaFolder: this.folder,
      stateFolder: this.folder,
      dramBytes: 4 * 1024 * 1024,
      ...settings,
    });
    return Agent.start({
      config,
      log: this.#log(),
      onFatal: (error) => void this.fatal.push(error.message),
    });
  }

  async add(id: string, settings: object = {}): Promise<TestWorker> {
    const agent = await this.addAgent(id, settings);
    const engine = await FakeEngine.start(this.socketPath(id));
    const worker = { id, agent, engine, socketPath: this.socketPath(id) };
    this.workers.push(worker);
    await eventually(() => engine.hello !== undefined);
    await eventually(() => this.beats.get(id)?.state === baton.v1.WorkerState.WORKER_STATE_READY);
    return worker;
  }

  #log() {
    const line = (level: LoggedLine['level']) => (fields: object, message: string) => {
      const { event = '', code = '' } = fields as { event?: string; code?: string };
      this.logged.push({ level, event, code, message });
    };
    return { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
  }

  socketPath(id: string): string {
    return path.join(this.folder, `${id}.sock`);
  }

  order(
    to: TestWorker,
    from: { id: string; agent: Agent },
    order: baton.v1.ITransferOrder & { keys: Uint8Array },
  ): Promise<baton.v1.TransferAck> {
    this.#orders += 1;
    const { TRANSFER_REASON_HANDOVER, TRANSFER_REASON_PREFIX } = baton.v1.TransferReason;
    return this.bus.orderTransfer(
      to.id,
      {
        transferId: `transfer-${this.#orders}`,
        reason: order.withTail ? TRANSFER_REASON_HANDOVER : TRANSFER_REASON_PREFIX,
        sourceWorker: from.id,
        sourceAddress: from.agent.transferAddress,
        timeoutMs: 20_000,
        ...order,
      },
      { timeoutMs: 10_000 },
    );
  }

  /** What a conductor that has heard every delta of the present epoch believes. */
  held(id: string, tier: baton.v1.Tier): Set<string> {
    const held = new Set<string>();
    const all = this.deltas.get(id) ?? [];
    const epoch = all.at(-1)?.epoch;
    let seq = 0;
    for (const delta of all) {
      if (delta.epoch?.nonce !== epoch?.nonce) continue;
      seq += 1;
      if (delta.seq !== seq) throw new Error(`delta ${delta.seq} where ${seq} is due`);
      for (const op of delta.ops) {
        if (op.tier !== tier) continue;
        const hex = unpackKeys(op.keys ?? new Uint8Array()).map(keyHex);
        if (op.kind === baton.v1.KvOpKind.KV_OP_KIND_CLEAR) held.clear();
        for (const key of hex) {
          if (op.kind === baton.v1.KvOpKind.KV_OP_KIND_STORE) held.add(key);
          else held.delete(key);
        }
      }
    }
    return held;
  }

  /** True when the last beat's count and XOR are those of what was told. */
  agrees(id: string): boolean {
    const beat = this.beats.get(id);
    if (!beat || beat.lastDeltaSeq !== (this.deltas.get(id)?.at(-1)?.seq ?? 0)) return false;
    return beat.tiers.every((state) => {
      const held = this.held(id, state.tier ?? 0);
      const xor = xorKeys(packHex([...held]));
      return held.size === state.segments && Buffer.compare(xor, state.xor ?? xor) === 0;
    });
  }

  /** Nothing is pinned, leased, reserved or written anywhere. */
  async idle(): Promise<void> {
    for (const { agent } of this.workers) {
      await eventually(() => {
        const { pinnedPages, leases, pullsActive } = agent.counters;
        return !pinnedPages && !leases && !pullsActive;
      });
    }
  }

  async stop(): Promise<string[]> {
    await Promise.all(this.workers.map(({ agent }) => agent.stop()));
    await Promise.all(this.workers.map(({ engine }) => engine.kill()));
    await this.bus.close();
    await this.nats.stop();
    const arenas = readdirSync(this.folder).filter((name) => name.includes('arena'));
    rmSync(this.folder, { recursive: true });
    return [
      ...arenas,
      ...this.workers.flatMap(({ id, engine }) => engine.problems.map((p) => `${id}: ${p}`)),
    ];
  }
}
