import { setTimeout as sleep } from 'node:timers/promises';
import { complete, randomPrompt } from '@baton/test-kit';
import type { Served } from '../../kit/served.ts';
import { eventually } from '@baton/test-kit';
import { finding, type Check, type Finding } from '../check.ts';
import type { VllmLab } from './lab.ts';
import { MODEL, type RealVllm } from './real-vllm.ts';

const body = { model: MODEL, temperature: 0, ignore_eos: true, max_tokens: 12 };
const CLIENTS = 2;
const SERVES_MS = 120_000;
const PROMPTS = 12;

/** Either engine of a pair dies under load and comes back: no answer is wrong, and the pair works again by itself. */
export const restarts: Check<VllmLab> = {
  name: 'restarts',
  describes: 'either engine of the pair killed under load, and started again',
  async run({ pair, prefill, decode, say }) {
    const right = await expectedAnswers(decode);
    return [
      ...(await killed(pair, prefill, right, 'prefill', say)),
      ...(await killed(pair, decode, right, 'decode', say)),
    ];
  },
};

async function killed(
  served: Served,
  engine: RealVllm,
  right: readonly string[],
  role: string,
  say: (line: string) => void,
): Promise<Finding[]> {
  const load = new Load(served, right);
  await sleep(4_000);
  load.phase = 'away';
  await engine.kill();
  await sleep(10_000);
  engine.restart();
  await engine.healthy();
  await eventually(() => serves(served, engine.workerId), SERVES_MS);
  load.phase = 'back';
  await sleep(6_000);
  const handedOver = await eventually(() => isHandedOver(served), SERVES_MS).catch(() => false);
  await load.stop();
  const { wrong, failed, answered } = load;
  say(`${role}: ${JSON.stringify({ answered, failed, wrong, lastFault: load.lastFault })}`);
  const away = role === 'prefill' ? failed.away === 0 : true;
  const total = answered.before + answered.away + answered.back;
  return [
    finding(`${role} killed: no wrong answer`, wrong === 0, `${wrong} of ${total}`),
    finding(
      `${role} killed: who is answered`,
      failed.before === 0 && away && failed.back === 0,
      `while it is away ${answered.away} answered and ${failed.away} refused, before and after ${answered.before + answered.back} and ${failed.before + failed.back}`,
    ),
    finding(`${role} back: KV is handed over again`, handedOver, handedOver ? 'yes' : 'no'),
  ];
}

/** Clients that ask again and again. */
class Load {
  phase: 'before' | 'away' | 'back' = 'before';
  readonly answered = { before: 0, away: 0, back: 0 };
  readonly failed = { before: 0, away: 0, back: 0 };
  /** What the last one said that failed. */
  readonly lastFault = { before: '', away: '', back: '' };
  wrong = 0;
  #stopped = false;
  readonly #clients: Promise<unknown>;

  constructor(served: Served, right: readonly string[]) {
    this.#clients = Promise.all(
      Array.from({ length: CLIENTS }, (_, client) => this.#client(served, right, client)),
    );
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#clients;
  }

  async #client(served: Served, right: readonly string[], client: number): Promise<void> {
    for (let i = client; !this.#stopped; i += CLIENTS) {
      const at = i % PROMPTS;
      const { phase } = this;
      // Fresh for the engines' caches, so that it is handed over.
      const own = { ...body, prompt: promptOf(at), cache_salt: `load-${i}` };
      try {
        const { tokenIds } = await complete(served.url, own);
        this.answered[phase] += 1;
        if (tokenIds.join() !== right[at]) this.wrong += 1;
      } catch (error) {
        // Also one that was under way when an engine was killed.
        this.failed[this.phase] += 1;
        this.lastFault[this.phase] = String(error).slice(0, 200);
        await sleep(200);
      }
    }
  }
}

function promptOf(at: number): number[] {
  return randomPrompt(60_000 + at, 300 + 40 * at);
}

async function expectedAnswers(engine: RealVllm): Promise<string[]> {
  const answers: string[] = [];
  for (let at = 0; at < PROMPTS; at += 1) {
    const own = { ...body, prompt: promptOf(at), cache_salt: 'alone' };
    answers.push((await complete(engine.url, own)).tokenIds.join());
  }
  return answers;
}

async function serves({ adminUrl }: Served, workerId: string): Promise<boolean> {
  const answer = await fetch(`${adminUrl()}/engines`);
  const { engines } = (await answer.json()) as {
    engines: { workerId: string; serves?: boolean }[];
  };
  return engines.some((engine) => engine.workerId === workerId && engine.serves === true);
}

let fresh = 70_000;
async function isHandedOver(served: Served): Promise<boolean> {
  fresh += 1;
  const { headers } = await complete(served.url, { ...body, prompt: randomPrompt(fresh, 800) });
  return headers.get('x-baton-prefill-worker') !== headers.get('x-baton-decode-worker');
}
