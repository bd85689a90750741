import { eventually } from '@baton/test-kit';
import { finding, type Check, type Finding } from '../check.ts';
import { alone, ask, difference, prompt, type Answer } from './answers.ts';
import { workerIds, type ConnectorLab } from './lab.ts';

const REQUESTS = 32;
const AT_ONCE = 8;
const outputs = { max_tokens: 100 };

/** Shared beginnings, more requests than room, an arena that is too small; pages damaged, agents killed. */
export const underLoad: Check<ConnectorLab> = {
  name: 'under-load',
  describes: `${REQUESTS} requests, ${AT_ONCE} at once, with damaged pages, and while agents die`,
  async run(lab) {
    return [
      ...(await load(lab, 'damaged pages', (done) => {
        if (done % 3 === 0) lab.arena(done % 2 === 0 ? 'p' : 'd').damage();
        return Promise.resolve();
      })),
      ...(await load(lab, 'agents killed and started again', async (done) => {
        const id = done === 8 ? 'd' : done === 20 ? 'p' : undefined;
        if (id === undefined) return;
        await lab.killAgent(id);
        lab.startAgent(id);
      })),
    ];
  },
};

async function load(
  lab: ConnectorLab,
  name: string,
  disturb: (done: number) => Promise<void>,
): Promise<Finding[]> {
  const stems = [70, 130, 300, 420].map(prompt);
  const requests = Array.from({ length: REQUESTS }, (_, i) => [
    ...(stems[i % stems.length] ?? []),
    ...prompt(20 + 7 * i),
  ]);
  const expected = await inTurns(requests, (ids) => alone(lab.engine('p'), ids, outputs));
  for (const id of workerIds) await lab.engine(id).resetCache();
  const before = (await lab.engine('d').metrics()).get('num_preemptions_total') ?? 0;
  let done = 0;
  const answers = await inTurns(requests, async (ids, i): Promise<Answer | undefined> => {
    done += 1;
    await disturb(done);
    // Half of them past Baton: nobody keeps room for those in the engine.
    const url = i % 2 === 0 ? lab.served.url : lab.engine('d').url;
    // Without an agent a worker is not there, and its requests are refused.
    return ask(url, ids, outputs).catch(() => undefined);
  });
  const preempted = ((await lab.engine('d').metrics()).get('num_preemptions_total') ?? 0) - before;
  const wrong = answers.flatMap((answer, i) => {
    const wanted = expected[i];
    const differs = answer && wanted ? difference(answer, wanted) : undefined;
    return differs === undefined ? [] : [`request ${i}: ${differs}`];
  });
  const answered = answers.filter((answer) => answer !== undefined).length;
  return [
    finding(
      `${name}: no wrong answer`,
      wrong.length === 0 && answered > REQUESTS / 2,
      wrong.join('; ') || `${answered} of ${REQUESTS} answered, ${preempted} preempted`,
    ),
    finding(`${name}: no page stays leased`, await isIdle(lab), '0 leases, 0 pages pinned'),
  ];
}

async function isIdle(lab: ConnectorLab): Promise<boolean> {
  for (const id of workerIds) {
    await lab.ready(id);
    await eventually(async () => {
      const { pinnedPages, leases } = (await lab.worker(id))?.counters ?? {};
      return pinnedPages === 0 && leases === 0;
    });
  }
  return true;
}

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
  await Promise.all(Array.from({ length: AT_ONCE }, turn));
  return results;
}
