import { randomFillSync } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { KnowledgeIntake } from '@baton/conductor/knowledge-intake';
import { createCore, type Core, type CoreInput, type SnapshotChunk } from '@baton/core';
import { KEY_BYTES, Tier, xorKeys } from '@baton/kv';
import { readBeat } from '@baton/proto';
import { knowledgeBeat } from '../../kit/knowledge-beat.ts';
import type { Figure } from '../report.ts';
import { median } from '../statistics.ts';

const SEGMENTS = 1_000_000;
const KEYS_PER_CHUNK = 8_192;
/** An 8k-token prompt. */
const PROMPT_KEYS = 128;
const ROUNDS = 5;
const WORKER = 'w1';
const OTHER = 'w2';
/** Deltas of the worker that come while the snapshot is under way, and must wait for its end. */
const BUFFERED_DELTAS = 100;

interface Round {
  wallMs: number;
  cpuMs: number;
  /** Longest that a match had to wait for its turn. */
  stallMs: number;
  stallCpuMs: number;
  matches: number;
}

/**
 * A worker with a million segments, all of them known already, is asked for everything again: the
 * snapshot is built aside, swapped in, deltas that came meanwhile are applied, and the room of the old
 * entries is won back, by the core and the intake of the conductor. Between two turns of the process
 * there is a match; how long it had to wait is measured in wall time and in CPU time of the thread,
 * since on a shared machine others take turns as well.
 */
export async function snapshotOfMillion(
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<Figure[]> {
  const keys = randomFillSync(new Uint8Array(SEGMENTS * KEY_BYTES));
  const other = randomFillSync(new Uint8Array(SEGMENTS * KEY_BYTES));
  const core = createCore({ instanceId: 'bench' });
  const intake = new IntakeOf(core);
  await intake.hear(beatOf(OTHER, 0), ...deltasOf(OTHER, other, 1));
  await intake.hear(beatOf(WORKER, 0), ...deltasOf(WORKER, keys, 1));
  const rounds: Round[] = [];
  for (let seq = Math.ceil(SEGMENTS / KEYS_PER_CHUNK); rounds.length < ROUNDS;) {
    signal.throwIfAborted();
    // A delta is lost: everything is asked for.
    seq += 1;
    const round = await resync(core, intake, keys, seq);
    seq += BUFFERED_DELTAS;
    rounds.push(round);
    say(
      `snapshot: ${ms(round.wallMs)} (CPU ${ms(round.cpuMs)}), ${round.matches} matches meanwhile, ` +
        `longest wait ${ms(round.stallMs)} (CPU ${ms(round.stallCpuMs)})`,
    );
    // Both agree, and the next round need not pause before it asks.
    await intake.hear(beatOf(WORKER, seq, keys));
    if (intake.takeRequest() !== undefined) throw new Error('the index is not what was said');
  }
  const figure = (name: string, value: number): Figure => ({ name, value, unit: 'ms' });
  const of = (read: (round: Round) => number): number[] => rounds.map(read);
  return [
    figure('index.snapshot_1m_ms', median(of(({ wallMs }) => wallMs))),
    figure('index.snapshot_1m_cpu_ms', median(of(({ cpuMs }) => cpuMs))),
    figure('index.snapshot_stall_max_ms', Math.max(...of(({ stallMs }) => stallMs))),
    figure('index.snapshot_stall_max_cpu_ms', Math.max(...of(({ stallCpuMs }) => stallCpuMs))),
  ];
}

/** The core behind the conductor's intake. */
class IntakeOf {
  readonly #intake: KnowledgeIntake;
  readonly #core: Core;
  readonly #requested: number[] = [];

  constructor(core: Core) {
    this.#core = core;
    this.#intake = new KnowledgeIntake({
      step: (input) => {
        for (const effect of core.step(input, performance.now())) {
          if (effect.type === 'requestSnapshot') this.#requested.push(effect.snapshotId);
        }
      },
      hasWork: () => core.hasWork,
      now: () => performance.now(),
      onFault: (error) => {
        throw error;
      },
    });
  }

  get isIdle(): boolean {
    return this.#intake.counters.waiting === 0 && !this.#core.hasWork;
  }

  takeRequest(): number | undefined {
    return this.#requested.pop();
  }

  offer(input: CoreInput): void {
    this.#intake.offer(input);
  }

  /** Resolves when everything is applied. */
  async hear(...inputs: CoreInput[]): Promise<void> {
    for (const input of inputs) this.offer(input);
    while (!this.isIdle) await turn();
  }
}

async function resync(core: Core, intake: IntakeOf, keys: Uint8Array, seq: number): Promise<Round> {
  await intake.hear(beatOf(WORKER, seq));
  const snapshotId = intake.takeRequest();
  if (snapshotId === undefined) throw new Error('no snapshot was asked for');
  const chunks = chunksOf(keys, snapshotId, seq);
  const startMs = performance.now();
  const startCpu = process.threadCpuUsage();
  const round: Round = { wallMs: 0, cpuMs: 0, stallMs: 0, stallCpuMs: 0, matches: 0 };
  chunks.forEach((chunk, i) => {
    intake.offer({ type: 'snapshotChunk', chunk });
    if (i >= BUFFERED_DELTAS) return;
    intake.offer(deltaOf(WORKER, keys.subarray(i * KEY_BYTES, (i + 20) * KEY_BYTES), seq + 1 + i));
  });
  while (!intake.isIdle) {
    const beforeMs = performance.now();
    const beforeCpu = process.threadCpuUsage();
    await turn();
    const at = (round.matches * 7919) % (SEGMENTS - PROMPT_KEYS);
    round.stallMs = Math.max(round.stallMs, performance.now() - beforeMs);
    round.stallCpuMs = Math.max(round.stallCpuMs, cpuMsSince(beforeCpu));
    core.view.lookup(keys.subarray(at * KEY_BYTES, (at + PROMPT_KEYS) * KEY_BYTES));
    round.matches += 1;
  }
  round.wallMs = performance.now() - startMs;
  round.cpuMs = cpuMsSince(startCpu);
  return round;
}

function beatOf(workerId: string, lastDeltaSeq: number, held = new Uint8Array(0)): CoreInput {
  const tiers = [{ tier: Tier.HBM, segments: held.length / KEY_BYTES, xor: xorKeys(held) }];
  const beat = readBeat({ ...knowledgeBeat(workerId), epoch, lastDeltaSeq, tiers });
  if ('fault' in beat) throw new Error(beat.fault);
  return { type: 'beat', beat };
}

const epoch = { startedAtMs: 1, nonce: 0 };

function deltaOf(workerId: string, keys: Uint8Array, seq: number): CoreInput {
  const ops = [{ kind: 'store' as const, tier: Tier.HBM, rank: 0, keys }];
  return { type: 'delta', delta: { workerId, epoch, seq, ops } };
}

function deltasOf(workerId: string, keys: Uint8Array, firstSeq: number): CoreInput[] {
  return piecesOf(keys).map((piece, i) => deltaOf(workerId, piece, firstSeq + i));
}

function chunksOf(keys: Uint8Array, snapshotId: number, seq: number): SnapshotChunk[] {
  const pieces = piecesOf(keys);
  return pieces.map((piece, index) => ({
    ...{ workerId: WORKER, epoch, snapshotId, index, count: pieces.length, seq },
    ops: [{ kind: 'store', tier: Tier.HBM, rank: 0, keys: piece }],
  }));
}

function piecesOf(keys: Uint8Array): Uint8Array[] {
  const size = KEYS_PER_CHUNK * KEY_BYTES;
  return Array.from({ length: Math.ceil(keys.length / size) }, (_, i) =>
    keys.subarray(i * size, (i + 1) * size),
  );
}

function cpuMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

function ms(value: number): string {
  return `${value.toFixed(1)} ms`;
}
