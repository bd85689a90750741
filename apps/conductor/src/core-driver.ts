import type { Core, CoreInput, Effect } from '@baton/core';
import {
  fleetMessage,
  planReplyMessage,
  readSnapshotChunk,
  transferOrderMessage,
} from '@baton/proto';
import type { Session } from '@baton/rpc';
import { SpacedLines, type Logger } from '@baton/service';
import type { Agents } from './engines/watched-engines.ts';
import { KnowledgeIntake, type IntakeCounters } from './knowledge-intake.ts';
import type { PlanSpans } from './plan-spans.ts';

/** Until an agent acknowledges an order. */
const ORDER_ACK_MS = 2000;
/** Workers whose last refusal is remembered, so that it is logged once. */
const MAX_REMEMBERED_REFUSALS = 1024;
/** Refused workers whose line nobody waits for; a fleet that is set up wrongly shows whole. */
const REFUSALS_SAID_AT_ONCE = 16;
const REFUSAL_LINE_SPACING_MS = 10_000;

/** Between two ticks for requests that wait. */
const MIN_WAKE_MS = 1;

export interface CoreDriverOptions {
  core: Core;
  agents: Agents;
  spans: PlanSpans;
  log: Logger;
  /** Milliseconds; never goes back. */
  now: () => number;
  snapshotTimeoutMs: number;
  /** Tells the core that time has passed, and whether this process stood still meanwhile. */
  tick: () => void;
  /** Ends requests to agents. */
  signal: AbortSignal;
}

/** Feeds the core one input after the other and carries out what it wants done. */
export class CoreDriver {
  readonly sessions = new Map<string, Session>();
  readonly #options: CoreDriverOptions;
  readonly #intake: KnowledgeIntake;
  readonly #refusals = new Map<string, string>();
  readonly #refusalLines = new SpacedLines(REFUSAL_LINE_SPACING_MS);
  #inputs: CoreInput[] = [];
  #isStepping = false;
  /** Set while requests wait and the core has said when it wants a tick for them. */
  #wake: { timer: NodeJS.Timeout; atMs: number } | undefined;

  constructor(options: CoreDriverOptions) {
    const { core, log } = options;
    this.#options = options;
    this.#intake = new KnowledgeIntake({
      step: (input) => this.feed(input),
      hasWork: () => core.hasWork,
      now: () => performance.now(),
      onFault: (error) => log.error({ event: 'knowledge_fault', err: error }, 'an input failed'),
    });
    const close = (): void => {
      this.#intake.close();
      clearTimeout(this.#wake?.timer);
    };
    options.signal.addEventListener('abort', close, { once: true });
  }

  get intake(): Readonly<IntakeCounters> {
    return this.#intake.counters;
  }

  /** What agents say of themselves, and the time that passes for them: taken in its order, soon. */
  hear(input: CoreInput): void {
    if (!this.#options.signal.aborted) this.#intake.offer(input);
  }

  /** Taken at once. Inputs that come while effects are carried out are taken after them. */
  feed(input: CoreInput): void {
    this.#inputs.push(input);
    if (this.#isStepping) return;
    this.#isStepping = true;
    try {
      for (let next = this.#inputs.shift(); next !== undefined; next = this.#inputs.shift()) {
        for (const effect of this.#options.core.step(next, this.#options.now())) this.#act(effect);
      }
    } finally {
      this.#isStepping = false;
    }
    this.#planWake();
  }

  /** A worker may have room before the next regular tick. */
  #planWake(): void {
    const { core, now, signal, tick } = this.#options;
    const nowMs = now();
    const atMs = signal.aborted ? undefined : core.wakeAtMs(nowMs);
    const planned = this.#wake;
    // One that comes earlier is as good: it plans the next.
    if (planned !== undefined && atMs !== undefined && planned.atMs <= atMs) return;
    clearTimeout(planned?.timer);
    if (atMs === undefined) {
      this.#wake = undefined;
      return;
    }
    const timer = setTimeout(
      () => {
        this.#wake = undefined;
        tick();
      },
      Math.max(MIN_WAKE_MS, atMs - nowMs),
    );
    this.#wake = { timer, atMs };
  }

  /** Logged when it is another reason than the last time. */
  workerRefused(workerId: string, reason: string): void {
    if (this.#refusals.get(workerId) === reason) return;
    if (this.#refusals.size >= MAX_REMEMBERED_REFUSALS) this.#refusals.clear();
    this.#refusals.set(workerId, reason);
    const { log } = this.#options;
    const line = (leftOut: number): void =>
      log.warn({ event: 'worker_refused', workerId, reason, leftOut }, 'a worker is refused');
    // So many at once are no workers.
    if (this.#refusals.size <= REFUSALS_SAID_AT_ONCE) line(0);
    else this.#refusalLines.line(line);
  }

  #act(effect: Effect): void {
    const { agents, log, spans } = this.#options;
    switch (effect.type) {
      case 'planReply':
        spans.answered(effect.sessionId, effect.reply);
        this.sessions.get(effect.sessionId)?.sendPlan(planReplyMessage(effect.reply));
        return;
      case 'transferOrder':
        return void this.#order(effect);
      case 'cancelPlan': {
        const { workerId, planId, reason } = effect;
        agents.publishCancel(workerId, { planId, reason });
        log.debug({ event: 'plan_cancelled', workerId, planId, reason }, 'a plan is cancelled');
        return;
      }
      case 'requestSnapshot':
        return void this.#snapshot(effect.workerId, effect.snapshotId);
      case 'fleetUpdate':
        for (const session of [...this.sessions.values()]) {
          session.sendFleet(fleetMessage(effect.pools));
        }
        return;
      case 'workerJoined':
        this.#refusals.delete(effect.workerId);
        log.info({ ...effect, type: undefined, event: 'worker_joined' }, 'a worker joined');
        return;
      case 'workerLost':
        // One that said goodbye is nobody's worry.
        log[effect.reason === 'left' ? 'info' : 'warn'](
          { ...effect, type: undefined, event: 'worker_lost' },
          'a worker is gone',
        );
        return;
      case 'workerRefused':
        return this.workerRefused(effect.workerId, effect.reason);
      case 'resync':
        log.info({ ...effect, type: undefined, event: 'resync' }, 'asking for a snapshot');
        return;
    }
  }

  /** Never rejects: what goes wrong becomes an input. */
  async #order({ order }: Effect & { type: 'transferOrder' }): Promise<void> {
    const { agents, log, signal } = this.#options;
    const { transferId, planId, destinationWorker } = order;
    const how = { timeoutMs: ORDER_ACK_MS, signal };
    const ack = await agents.orderTransfer(destinationWorker, transferOrderMessage(order), how);
    // Without an acknowledgement the order may still be carried out; its result or its deadline
    // tells.
    if (ack.accepted || ack.code === 'deadline_exceeded' || signal.aborted) return;
    const fields = { event: 'order_refused', transferId, planId, destinationWorker };
    log.warn({ ...fields, code: ack.code, reason: ack.message }, 'an agent refused an order');
    this.feed({ type: 'transferRefused', transferId, code: ack.code });
  }

  async #snapshot(workerId: string, snapshotId: number): Promise<void> {
    const { agents, log, signal, snapshotTimeoutMs } = this.#options;
    const outcome = await agents.requestSnapshot(
      workerId,
      { snapshotId },
      {
        timeoutMs: snapshotTimeoutMs,
        signal,
        onChunk: (message) => {
          const chunk = readSnapshotChunk(message);
          if ('fault' in chunk) {
            const fields = { event: 'message_unusable', what: 'snapshot', workerId };
            log.warn({ ...fields, fault: chunk.fault }, 'a message is dropped');
            this.hear({ type: 'unreadable', workerId });
            this.hear({ type: 'snapshotFailed', workerId, snapshotId, reason: chunk.fault });
          } else this.hear({ type: 'snapshotChunk', chunk });
        },
      },
    );
    if (outcome.ok || signal.aborted) return;
    const reason = `the snapshot broke off: ${outcome.code}`;
    this.hear({ type: 'snapshotFailed', workerId, snapshotId, reason });
  }
}
