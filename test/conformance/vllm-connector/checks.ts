import { eventually, randomPrompt } from '@baton/test-kit';
import { ask, difference, promptTokens, reference, resetCache } from './answers.ts';
import type { Fleet } from './fleet.ts';

export interface Check {
  name: string;
  /** A line of figures; throws when it is not as it must be. */
  run(fleet: Fleet): Promise<string>;
}

const VOCABULARY = 370;
let seed = 1;

/** Another prompt each time, and other ones than in other runs. */
function prompt(tokens: number): number[] {
  seed += 1;
  return randomPrompt(process.pid * 1_000 + seed, tokens).map((token) => token % VOCABULARY);
}

function require(condition: boolean, what: string): void {
  if (!condition) throw new Error(what);
}

/** Of one engine, while something is done. */
async function tokensOf(url: string, act: () => Promise<unknown>) {
  const before = await promptTokens(url);
  await act();
  const after = await promptTokens(url);
  const grown = (name: string): number => (after[name] ?? 0) - (before[name] ?? 0);
  return { computed: grown('computed'), received: grown('received') };
}

const equality: Check = {
  name: 'answers handed over are those of one engine',
  async run(fleet) {
    const lengths = [200, 321, 192, 970, 225];
    for (const length of lengths) {
      const ids = prompt(length);
      let answer: Awaited<ReturnType<typeof ask>> | undefined;
      const { computed, received } = await tokensOf(fleet.engine('d'), async () => {
        answer = await ask(fleet.url, ids);
      });
      require(computed === 1 &&
        received ===
          length - 1, `${length} tokens: decode computed ${computed} and received ${received}`);
      const alone = await reference(fleet.engine('d'), ids);
      const differs = answer && difference(answer, alone);
      require(differs === undefined, `${length} tokens: ${differs}`);
    }
    return `${lengths.join(', ')} tokens; decode computed 1 token of each`;
  },
};

const arena: Check = {
  name: 'a prompt that the engine forgot comes from the arena; a damaged page is computed',
  async run(fleet) {
    const url = fleet.engine('d');
    const ids = prompt(300);
    const alone = await reference(url, ids);
    await ask(url, ids);
    await resetCache(url);
    const again = await tokensOf(url, () => ask(url, ids));
    require(again.received === 256, `received ${again.received} instead of 256`);
    await resetCache(url);
    const pages = fleet.arena('d').damage();
    const answer = await ask(url, ids);
    require(difference(answer, alone) === undefined, 'a damaged page changes the answer');
    await resetCache(url);
    const kept = await tokensOf(url, () => ask(url, ids));
    require(kept.received === 256, 'what was damaged is not kept anew');
    return `256 of 300 tokens received; ${pages} pages damaged, the answer is the same`;
  },
};

const foreign: Check = {
  name: 'control: pages of others with right checksums do change the answer',
  async run(fleet) {
    const url = fleet.engine('d');
    const ids = prompt(300);
    const alone = await reference(url, ids);
    await ask(url, ids);
    await resetCache(url);
    const pages = fleet.arena('d').exchange();
    const differs = difference(await ask(url, ids), alone);
    require(differs !== undefined, 'foreign KV went unnoticed: equality above proves nothing');
    // What was computed on it must not stay.
    fleet.arena('d').damage();
    await resetCache(url);
    return `${pages} pages exchanged: ${differs}`;
  },
};

const pulled: Check = {
  name: 'a longer prefix is pulled to prefill',
  async run(fleet) {
    const first = prompt(330);
    const { tokenIds } = await ask(fleet.url, first, { max_tokens: 200 });
    const ids = [...first, ...tokenIds, ...prompt(300)];
    await eventually(
      async () => (await fleet.worker('d'))?.tiers.every(({ same }) => same) === true,
    );
    let answer: Awaited<ReturnType<typeof ask>> | undefined;
    const { received } = await tokensOf(fleet.engine('p'), async () => {
      answer = await ask(fleet.url, ids);
    });
    require(received >= 128, `prefill received ${received} tokens`);
    const alone = await reference(fleet.engine('d'), ids);
    const differs = answer && difference(answer, alone);
    require(differs === undefined, String(differs));
    return `${received} of ${ids.length} tokens pulled`;
  },
};

/** Shared beginnings, more requests than room, pages damaged, clients that leave, an agent that dies. */
function load(name: string, disturb: (fleet: Fleet, done: number) => Promise<void>): Check {
  return {
    name,
    async run(fleet) {
      const stems = [70, 130, 300, 420].map(prompt);
      const requests = Array.from({ length: 32 }, (_, i) => [
        ...(stems[i % stems.length] ?? []),
        ...prompt(20 + 7 * i),
      ]);
      const outputs = { max_tokens: 100 };
      const alone = await inTurns(requests, (ids) => reference(fleet.engine('p'), ids, outputs));
      await Promise.all([resetCache(fleet.engine('p')), resetCache(fleet.engine('d'))]);
      let done = 0;
      const answers = await inTurns(requests, async (ids, i) => {
        done += 1;
        await disturb(fleet, done);
        // Half of them past Baton: nobody keeps room for those in the engine.
        const url = i % 2 === 0 ? fleet.url : fleet.engine('d');
        return ask(url, ids, outputs).catch((error: unknown) => error as Error);
      });
      const failed = answers.filter((answer) => answer instanceof Error);
      const wrong = answers.flatMap((answer, i) => {
        const expected = alone[i];
        const differs =
          answer instanceof Error || !expected ? undefined : difference(answer, expected);
        return differs === undefined ? [] : [`${i}: ${differs}`];
      });
      require(wrong.length === 0, wrong.join('; '));
      for (const id of ['p', 'd'] as const) {
        await fleet.ready(id);
        await eventually(async () => {
          const { pinnedPages, leases } = (await fleet.worker(id))?.counters ?? {};
          return pinnedPages === 0 && leases === 0;
        });
      }
      return `${requests.length} requests, none wrong, ${failed.length} refused; no page leased`;
    },
  };
}

/** As many at once as there are turns. */
async function inTurns<T, R>(
  items: T[],
  act: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const turn = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) {
      results[index] = await act(items[index] as T, index);
    }
  };
  await Promise.all(Array.from({ length: 8 }, turn));
  return results;
}

export const checks: readonly Check[] = [
  equality,
  arena,
  foreign,
  pulled,
  load('load with damaged pages', (fleet, done) => {
    if (done % 3 === 0) fleet.arena(done % 2 === 0 ? 'p' : 'd').damage();
    return Promise.resolve();
  }),
  load('load while agents are killed and started again', async (fleet, done) => {
    const id = done === 8 ? 'd' : done === 20 ? 'p' : undefined;
    if (id === undefined) return;
    await fleet.killAgent(id);
    fleet.startAgent(id);
  }),
];
