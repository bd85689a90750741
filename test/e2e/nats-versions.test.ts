/** The main job on each nats-server that is here: the pinned one from its wheel, and Debian's. */
import { findNatsServer, pinnedNatsServer } from '@baton/provision';
import { complete, randomPrompt } from '@baton/test-kit';
import { expect, test } from 'vitest';
import { expectIdle, MODEL, startFleet } from '../kit/fleet.ts';

/** Set where the optional parts are prepared first: there a test that would be skipped fails. */
const isRequired = process.env['REQUIRE_OPTIONAL_PARTS'] === '1';

const log = (line: string): void => console.log(line);
const pinned = await pinnedNatsServer({ log, allowFetch: false });
const env = { ...process.env };
delete env['BATON_NATS_SERVER'];
const found = await findNatsServer({ log, allowInstall: false, env });

const servers = [
  ...(typeof pinned === 'string' ? [] : [pinned]),
  ...(found.source === 'path' ? [found] : []),
];
if (typeof pinned === 'string') console.log(`skipped, the pinned nats-server: ${pinned}`);
if (found.source !== 'path') console.log('skipped, the nats-server on PATH: there is none');

test.runIf(isRequired)('both are here', () => {
  expect(servers.map(({ source }) => source).sort()).toEqual(['cache', 'path']);
});

test.each(servers)('nats-server $version ($source)', async ({ path }) => {
  const fleet = await startFleet({ prefill: 1, decode: 1, natsServer: path });
  try {
    const answer = await complete(fleet.url, {
      model: MODEL,
      prompt: randomPrompt(1, 500),
      max_tokens: 8,
      ignore_eos: true,
    });
    expect(answer.completionTokens).toBe(8);
    expect(answer.headers.get('x-baton-prefill-worker')).toBe('prefill-1');
    expect(answer.headers.get('x-baton-decode-worker')).toBe('decode-1');
    // With NATS gone and back, the fleet is whole again.
    await fleet.nats.kill();
    await fleet.nats.restart();
    await fleet.ready();
    await expectIdle(fleet);
  } finally {
    await fleet.stop();
  }
});
