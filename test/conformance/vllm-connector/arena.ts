import { finding, type Check } from '../check.ts';
import { alone, ask, difference, prompt, tokensWhile } from './answers.ts';
import type { ConnectorLab } from './lab.ts';

const TOKENS = 300;
/** Whole segments of it. */
const KEPT_TOKENS = 256;

/** What the engine forgot comes from the arena, what is damaged there is computed, and what is foreign would show. */
export const arena: Check<ConnectorLab> = {
  name: 'arena',
  describes: 'a prompt that the engine forgot, from whole, damaged and foreign pages',
  async run(lab) {
    const engine = lab.engine('d');
    const ids = prompt(TOKENS);
    const expected = await alone(engine, ids);
    await ask(engine.url, ids);
    await engine.resetCache();
    const again = await tokensWhile(engine, () => ask(engine.url, ids));
    await engine.resetCache();
    const damaged = lab.arena('d').damage();
    const differs = difference(await ask(engine.url, ids), expected);
    await engine.resetCache();
    const anew = await tokensWhile(engine, () => ask(engine.url, ids));
    await engine.resetCache();
    const exchanged = lab.arena('d').exchange();
    const foreign = difference(await ask(engine.url, ids), expected);
    // What was computed on it must not stay.
    lab.arena('d').damage();
    await engine.resetCache();
    return [
      finding(
        'it comes from the arena',
        again.received === KEPT_TOKENS,
        `${again.received} of ${TOKENS} tokens`,
      ),
      finding(
        'damaged pages are computed again',
        differs === undefined,
        differs ?? `${damaged} pages damaged, the same answer`,
      ),
      finding('and kept anew', anew.received === KEPT_TOKENS, `${anew.received} tokens`),
      finding(
        'control: pages of others with right checksums change the answer',
        foreign !== undefined,
        foreign ?? `nothing shows that ${exchanged} pages are foreign`,
      ),
    ];
  },
};
