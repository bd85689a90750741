import type { Role, WorkerState } from '@baton/cluster';
import { Tier, tiers, tierName } from '@baton/kv';
import type { TransferStatus } from '@baton/transfers';
import { createCore, type Core } from '../core.ts';
import type { Effect } from '../effects.ts';
import { FakeAgent } from './fake-agent.ts';
import type { CoreInput, PlanPhase } from '../inputs.ts';
import { PromptNames } from './prompt-names.ts';
import { showEffect } from './scenario-effects.ts';

type Options = Record<string, string | undefined>;

/**
 * Replays a scenario: each line `@ms verb words… name=value…` is an input, the lines ` -> …` behind
 * it are its effects. Verbs are listed in libs/core/scenarios/README.md.
 */
export class Scenario {
  readonly #core: Core;
  readonly #agents = new Map<string, FakeAgent>();
  readonly #snapshots = new Map<string, number>();
  readonly #names = new PromptNames();
  #nowMs = 0;

  constructor(options: Record<string, unknown> = {}) {
    this.#core = createCore({ instanceId: 'c', ...options });
  }

  /** The text with the effects that the core gives now. */
  static replay(text: string): string {
    const [first = ''] = text.split('\n');
    const options = /^# options (.*)$/.exec(first)?.[1];
    const scenario = new Scenario(
      options === undefined ? {} : (JSON.parse(options) as Record<string, unknown>),
    );
    const lines: string[] = [];
    for (const line of text.split('\n')) {
      if (line.startsWith('  -> ')) continue;
      lines.push(line);
      if (line.startsWith('@')) lines.push(...scenario.run(line).map((shown) => `  -> ${shown}`));
    }
    return lines.join('\n');
  }

  run(line: string): string[] {
    const [time = '', verb = '', ...rest] = line.split(/\s+/);
    this.#nowMs = Number(time.slice(1));
    const words = rest.filter((word) => !word.includes('='));
    const options: Options = Object.fromEntries(
      rest.filter((word) => word.includes('=')).map((word) => word.split('=')),
    );
    if (verb === 'show') return this.#show(words[0] ?? '');
    const inputs = this.#inputs(verb, words, options);
    const effects = inputs.flatMap((input) => this.#core.step(input, this.#nowMs));
    while (this.#core.hasWork) effects.push(...this.#core.step({ type: 'work' }, this.#nowMs));
    return effects.map((effect) => this.#seen(effect));
  }

  #inputs(verb: string, words: string[], options: Options): CoreInput[] {
    const [first = '', second = '', third = ''] = words;
    switch (verb) {
      case 'beat':
        return [this.#beat(first, options)];
      case 'restart':
        this.#agent(first).restart();
        return [];
      case 'store':
      case 'remove':
      case 'clear':
        return this.#change(verb, first, second, third, words.at(-1) ?? '');
      case 'snapshot':
        return this.#snapshot(first, options);
      case 'silent':
        return [
          {
            type: 'snapshotFailed',
            workerId: first,
            snapshotId: this.#snapshots.get(first) ?? 0,
            reason: 'the snapshot was not answered',
          },
        ];
      case 'plan':
        return [this.#plan(first, second, options)];
      case 'report':
        return [report(first, second as PlanPhase, options)];
      case 'close':
        return [{ type: 'sessionClosed', sessionId: first }];
      case 'transferred':
        return [this.#transferred(first, second as TransferStatus, options)];
      case 'refused':
        return [{ type: 'transferRefused', transferId: first, code: second }];
      case 'bus':
        return [{ type: 'bus', connected: first === 'on' }];
      case 'paused':
        return [{ type: 'paused', durationMs: Number(first) }];
      case 'tick':
        return [{ type: 'tick' }];
      default:
        throw new RangeError(`unknown verb ${verb}`);
    }
  }

  #beat(workerId: string, options: Options): CoreInput {
    let agent = this.#agents.get(workerId);
    if (agent === undefined) {
      agent = new FakeAgent({
        workerId,
        role: (options.role ?? 'both') as Role,
        model: options.model ?? 'tiny',
        engineUrl: `http://${workerId}`,
        transferAddress: `${workerId}:1`,
        kvCapacityBlocks: Number(options.blocks ?? 512),
        maxSequences: Number(options.sequences ?? 16),
      });
      this.#agents.set(workerId, agent);
    }
    const load = {
      rank: 0,
      runningSequences: Number(options.running ?? 0),
      waitingSequences: 0,
      pendingPrefillTokens: Number(options.pending ?? 0),
      kvUsedBlocks: Number(options.used ?? 0),
      prefillTokensPerSec: Number(options.rate ?? 0),
      decodeTokensPerSec: 0,
      dramBytesPerSec: 0,
      ssdBytesPerSec: 0,
    };
    const beat = agent.beat({ loads: [load], state: (options.state ?? 'ready') as WorkerState });
    return { type: 'beat', beat };
  }

  #change(
    verb: 'store' | 'remove' | 'clear',
    workerId: string,
    tierWord: string,
    prompt: string,
    how: string,
  ): CoreInput[] {
    const agent = this.#agent(workerId);
    const tier = tiers.find((known) => tierName(known) === tierWord) ?? Tier.HBM;
    const delta =
      verb === 'clear' ? agent.clear(tier) : agent[verb](tier, this.#names.range(prompt));
    if (how === 'hidden') agent.seq -= 1;
    return how === 'hidden' || how === 'lost' ? [] : [{ type: 'delta', delta }];
  }

  #snapshot(workerId: string, options: Options): CoreInput[] {
    const id = Number(options.id ?? this.#snapshots.get(workerId) ?? 0);
    return this.#agent(workerId)
      .snapshot(id, Number(options.chunks ?? 1))
      .filter((chunk) => chunk.index !== Number(options.drop ?? -1))
      .map((chunk) => ({ type: 'snapshotChunk', chunk }));
  }

  #plan(requestId: string, promptText: string, options: Options): CoreInput {
    const prompt = this.#names.parse(promptText);
    return {
      type: 'plan',
      sessionId: options.session ?? 'g1',
      request: {
        requestId,
        model: options.model ?? 'tiny',
        segmentKeys: prompt.keys,
        promptTokens: prompt.tokens,
        maxOutputTokens: Number(options.max ?? 32),
        excludeWorkers: (options.exclude ?? '').split(',').filter((id) => id !== ''),
        traceparent: '',
        maxWaitMs: numberOf(options.wait),
        sessionId: options.sessionid,
        tenant: options.tenant,
        priority: numberOf(options.priority),
        ttftSloMs: numberOf(options.slo),
      },
    };
  }

  #transferred(transferId: string, status: TransferStatus, options: Options): CoreInput {
    const result = {
      transferId,
      workerId: options.by ?? '',
      status,
      segments: Number(options.segments ?? 0),
      bytes: Number(options.bytes ?? 0),
      durationMs: 1,
      bytesPerSec: Number(options.rate ?? 0),
      backend: 'tcp',
      code: options.code ?? '',
    };
    return { type: 'transferred', result };
  }

  #seen(effect: Effect): string {
    if (effect.type === 'requestSnapshot') {
      this.#snapshots.set(effect.workerId, effect.snapshotId);
    }
    return showEffect(effect, (keys) => this.#names.show(keys));
  }

  #show(what: string): string[] {
    const { view } = this.#core;
    if (what === 'plans') {
      const { live, waiting, totals } = view.plans();
      const ended = `finished=${totals.finished} aborted=${totals.aborted} failed=${totals.failed}`;
      return [`live=${live} waiting=${waiting} ${ended} refused=${totals.refused}`];
    }
    return view.workers(this.#nowMs).map(({ record, ranks, tiers: held, sync, transfers }) => {
      const { workerId } = record.facts;
      if (what === 'bookings') {
        const { prefillTokens, kvBlocks, streams } = ranks[0]?.booked ?? {};
        return `${workerId} tokens=${prefillTokens} blocks=${kvBlocks} streams=${streams}`;
      }
      const tierTexts = held
        .filter((tier) => tier.indexedSegments > 0)
        .map((tier) => `${tier.tier}=${tier.indexedSegments}`);
      const state = sync?.synced === true ? 'synced' : 'behind';
      return [workerId, record.state, state, ...tierTexts, `transfers=${transfers.length}`].join(
        ' ',
      );
    });
  }

  #agent(workerId: string): FakeAgent {
    const agent = this.#agents.get(workerId);
    if (agent === undefined) throw new RangeError(`no worker ${workerId}: let it beat first`);
    return agent;
  }
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}

function report(planId: string, phase: PlanPhase, options: Options): CoreInput {
  return {
    type: 'report',
    sessionId: options.session ?? 'g1',
    report: {
      planId,
      phase,
      outputTokens: Number(options.output ?? 0),
      computedTokens: 0,
      ttftMs: 0,
      code: options.code ?? '',
    },
  };
}
