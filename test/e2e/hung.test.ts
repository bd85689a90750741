/** Processes that are stopped and not gone: their sockets are open and nobody answers. */
import { complete, eventually, randomPrompt, type Completion } from '@baton/test-kit';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { expectIdle, getJson, MODEL, startFleet, type Fleet } from '../kit/fleet.ts';

// Several limits run out one after the other here, and a busy machine adds to each.
vi.setConfig({ testTimeout: 180_000 });

const PROMPT_TOKENS = 700;
/** Takes long enough to be stopped in the middle of it. */
const LONG_PROMPT_TOKENS = 3_000;
/** The gateway's own limits are out of the way: nothing here may have to wait for them. */
const LATE_MS = 300_000;

let fleet: Fleet;
let nextSeed = 1;

beforeAll(async () => {
  fleet = await startFleet({
    prefill: 2,
    decode: 2,
    reproducible: true,
    gatewayArgs: ['handover', 'idle', 'prefill'].flatMap((name) => [
      `--time-limits-${name}-ms`,
      String(LATE_MS),
    ]),
  });
});
afterAll(() => fleet?.stop());

interface WorkerView {
  workerId: string;
  state: string;
  reason: string;
  epoch: unknown;
  loads: { booked: { kvBlocks: number } }[];
}

async function workerOf(id: string): Promise<WorkerView | undefined> {
  const { workers } = await getJson<{ workers: WorkerView[] }>(`${fleet.adminUrl}/workers`);
  return workers.find(({ workerId }) => workerId === id);
}

const fields = { model: MODEL, temperature: 0, max_tokens: 8, ignore_eos: true };

const ask = (prompt: number[], stream = true): Promise<Completion> =>
  complete(fleet.url, { ...fields, prompt, stream });

const expected = (prompt: number[]): Promise<Completion> =>
  complete(fleet.worker('decode-1').engine.endpoints['http'] ?? '', {
    ...{ ...fields, prompt, cache_salt: 'alone' },
  });

test.each(['prefill-1', 'decode-1'])(
  'while the engine of %s is stopped others serve; then it is ready again, in its old epoch',
  async (id) => {
    const { engine } = fleet.worker(id);
    const before = await workerOf(id);
    expect(before?.state).toBe('ready');
    engine.pause();
    try {
      await eventually(async () => (await workerOf(id))?.state === 'starting');
      expect((await workerOf(id))?.reason).toContain('has said nothing');
      const prompts = Array.from({ length: 6 }, () => randomPrompt(nextSeed++, PROMPT_TOKENS));
      const answers = await Promise.all(prompts.map((prompt) => ask(prompt)));
      for (const answer of answers) expect(answer.completionTokens).toBe(8);
    } finally {
      engine.resume();
    }
    await eventually(async () => (await workerOf(id))?.state === 'ready');
    expect(await workerOf(id)).toMatchObject({ epoch: before?.epoch, reason: '' });
    await expectIdle(fleet);
  },
);

test.each([true, false])(
  'agents of decode that are stopped hold no request up (streamed: %s)',
  async (stream) => {
    const agents = ['decode-1', 'decode-2'].map((id) => fleet.worker(id).agent);
    const prompts = Array.from({ length: 4 }, () => randomPrompt(nextSeed++, PROMPT_TOKENS));
    for (const agent of agents) agent.pause();
    try {
      // Their leases have not ended yet: the requests are planned on them.
      const answers = await Promise.all(prompts.map((prompt) => ask(prompt, stream)));
      for (const [i, answer] of answers.entries()) {
        expect(answer.tokenIds).toEqual((await expected(prompts[i] ?? [])).tokenIds);
      }
    } finally {
      for (const agent of agents) agent.resume();
    }
    await fleet.ready();
    await expectIdle(fleet);
  },
);

test.each([
  ['prefill', true],
  ['decode', true],
  ['decode', false],
])(
  'what runs on a %s engine that is stopped is done by another one (streamed: %s)',
  async (role, stream) => {
    const [first, second] = [fleet.worker(`${role}-1`), fleet.worker(`${role}-2`)];
    // While the second one is away, the request goes to the first.
    second.engine.pause();
    await eventually(async () => (await workerOf(second.id))?.state === 'starting');
    const prompt = randomPrompt(nextSeed++, LONG_PROMPT_TOKENS);
    try {
      const answering = ask(prompt, stream);
      await eventually(async () => {
        const booked = (await workerOf(first.id))?.loads.map((load) => load.booked.kvBlocks) ?? [];
        return booked.some((blocks) => blocks > 0);
      });
      first.engine.pause();
      second.engine.resume();
      const { tokenIds } = await answering;
      first.engine.resume();
      expect(tokenIds).toEqual((await expected(prompt)).tokenIds);
    } finally {
      for (const { engine } of [first, second]) engine.resume();
    }
    await fleet.ready();
    await expectIdle(fleet);
  },
);
