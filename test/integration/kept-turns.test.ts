import { conductorConfigSchema } from '@baton/conductor/config';
import { startConductor } from '@baton/conductor/start';
import { startVllmFleet, type StandIn, type StandInFleet } from '@baton/engine-sim';
import { gatewayConfigSchema } from '@baton/gateway/config';
import { startGatewayService } from '@baton/gateway/start';
import { fittedCost } from '@baton/sim';
import { createLogger, type StartedService } from '@baton/service';
import { eventually, metricsOf, post, type HttpAnswer } from '@baton/test-kit';
import { afterEach, beforeEach, expect, test } from 'vitest';

/** Pairs of vLLM with bidirectional_kv_xfer: the prefill of a turn reads what decode keeps of the turn before. */

const MODEL = 'stand-in';
const SPEED_UP = 20;
/** Of which reading an answer of two segments is quicker than computing it. */
const cost = fittedCost({
  ...{ name: 'slow prefill', kvBytesPerToken: 1_000, chunkTokens: 2_048, firstToken: 'decode' },
  prefill: { fixedMs: 20, perTokenMs: 2, perPairMs: 0 },
  decode: { fixedMs: 1, perSequenceMs: 0, perKvTokenMs: 0 },
});
const EXTERNAL = 'prompt_tokens_by_source_total{source="external_kv_transfer"}';

let fleet: StandInFleet;
let conductor: StartedService;
let gateways: StartedService[];
let stopping: AbortController;
const log = createLogger({ name: 'test', destination: { write: () => undefined } });

beforeEach(async () => {
  stopping = new AbortController();
  fleet = await startVllmFleet(['prefill', 'decode'], {
    ...{ speedUp: SPEED_UP, blocks: 2_048, maxModelTokens: 8_000, model: MODEL, cost },
    nixl: { bidirectional: true },
  });
  conductor = await startConductor({
    config: conductorConfigSchema.parse({
      ...{ natsUrl: 'none', grpcPort: 0, adminPort: 0 },
      engines: fleet.engines.map(({ name, url }) => ({
        ...{ workerId: name, url, role: name },
        kvBytesPerToken: cost.kvBytesPerToken,
      })),
    }),
    log,
    signal: stopping.signal,
  });
  gateways = await Promise.all(['one', 'two'].map(startGateway));
  for (const gateway of gateways) {
    await eventually(async () => (await fetch(`${urlOf(gateway)}/health`)).status === 200);
  }
});
afterEach(async () => {
  await Promise.all(gateways.map((gateway) => gateway.stop()));
  stopping.abort();
  await conductor.stop();
  await fleet.stop();
});

function startGateway(gatewayId: string): Promise<StartedService> {
  const config = gatewayConfigSchema.parse({
    ...{ port: 0, conductor: conductor.endpoints['grpc'], sloLimits: {}, record: {} },
    timeLimits: {},
  });
  return startGatewayService({ config, gatewayId, log });
}

const urlOf = (gateway: StartedService | undefined): string => gateway?.endpoints['http'] ?? '';
const engine = (name: string): StandIn => {
  const found = fleet.engines.find((one) => one.name === name);
  if (found === undefined) throw new Error(name);
  return found;
};

interface Turn {
  prompt: number[];
  output: number[];
  answer: HttpAnswer;
}

/** Prompts so long that prefill computes them rather than decode. */
function prompt(seed: number): number[] {
  return Array.from({ length: 1_100 }, (_, i) => (seed * 7_919 + i * 31 + 11) % 30_000);
}

async function say(tokens: number[], more: object = {}, gateway = 0): Promise<Turn> {
  const body = { model: MODEL, prompt: tokens, max_tokens: 150, return_token_ids: true, ...more };
  const answer = await post(urlOf(gateways[gateway]), '/v1/completions', body);
  expect(answer.status).toBe(200);
  return { prompt: tokens, output: answer.body.choices?.[0]?.token_ids ?? [], answer };
}

/** That the next turn is a prompt which is worth being computed elsewhere. */
const goOn = ({ prompt: before, output }: Turn, seed: number): number[] => [
  ...before,
  ...output,
  ...prompt(seed),
];

async function received(): Promise<number> {
  return (await metricsOf(engine('prefill').url)).get(EXTERNAL) ?? 0;
}

async function told(): Promise<number> {
  const all = await metricsOf(urlOf(gateways[0]));
  return all.get('baton_turns_read_total') ?? 0;
}

test('what decode has generated is read by prefill, and answers are those of one engine', async () => {
  const before = await say(prompt(1));
  const next = goOn(before, 3);
  const turn = await say(next);
  // All that prefill does not have from the turn before: its answer, and what is behind the last block.
  expect(await received()).toBeGreaterThanOrEqual(149);
  const alone = await post(engine('prefill').url, '/v1/completions', {
    ...{ model: MODEL, prompt: next, max_tokens: 150, return_token_ids: true, cache_salt: 'x' },
  });
  expect(turn.output).toEqual(alone.body.choices?.[0]?.token_ids);
  expect(JSON.stringify(turn.answer.body)).not.toContain('remote_');
  const details = turn.answer.body.usage?.prompt_tokens_details;
  expect(details?.cached_tokens).toBe(before.prompt.length + before.output.length - 1);
  expect(await told()).toBe(1);
  expect(fleet.violations.list).toEqual([]);
});

test('a client need not ask for tokens, and gets none that it did not ask for', async () => {
  const quiet = { return_token_ids: false };
  const first = await say(prompt(1), quiet);
  // What the engine gives for the same prompt, whoever asks.
  const { output } = await say(prompt(1), { cache_salt: 'x' });
  await say(goOn({ ...first, output }, 2), quiet);
  expect(await told()).toBe(0);
  // By now it is known that decode keeps turns.
  const third = await say(prompt(3), quiet);
  expect(JSON.stringify(third.answer.body)).not.toContain('token_ids');
  const same = await say(prompt(3), { cache_salt: 'x' });
  await say(goOn({ ...third, output: same.output }, 4), quiet);
  expect(await told()).toBe(1);
  expect(fleet.violations.list).toEqual([]);
});

test('a turn is read once, by whoever goes on from all of it and has its salt', async () => {
  const before = await say(prompt(1), { cache_salt: 'a' });
  const { prompt: said, output } = before;
  await say(goOn(before, 3), { cache_salt: 'b' });
  await say([...said, ...output.slice(0, -9), ...prompt(4)], { cache_salt: 'a' });
  // Another gateway does not know of it.
  await say(goOn(before, 3), { cache_salt: 'a' }, 1);
  expect([await received(), await told()]).toEqual([0, 0]);
  await say(goOn(before, 5), { cache_salt: 'a' });
  expect(await told()).toBe(1);
  await say(goOn(before, 6), { cache_salt: 'a' });
  expect(await told()).toBe(1);
  expect(fleet.violations.list).toEqual([]);
});

test('a streamed turn reads the one before and leaves none for the next', async () => {
  const before = await say(prompt(1));
  const next = goOn(before, 3);
  const body = { model: MODEL, prompt: next, max_tokens: 150, stream: true };
  const response = await fetch(`${urlOf(gateways[0])}/v1/completions`, {
    ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
    body: JSON.stringify(body),
  });
  expect(await response.text()).not.toContain('kv_transfer_params');
  expect(await told()).toBe(1);
  const { output, ...same } = await say(next, { cache_salt: 'x' });
  await say(goOn({ ...same, output }, 4));
  expect(await told()).toBe(1);
  expect(fleet.violations.list).toEqual([]);
});

test('a decode that was started anew keeps nothing; a read that fails is computed', async () => {
  const before = await say(prompt(1));
  const epochOf = async (): Promise<string> => {
    const answer = await fetch(`${conductor.endpoints['admin']}/workers`);
    const { workers } = (await answer.json()) as { workers: Record<string, unknown>[] };
    return JSON.stringify(workers.find(({ workerId }) => workerId === 'decode')?.['epoch']);
  };
  const old = await epochOf();
  await engine('decode').restart();
  await eventually(async () => expect(await epochOf()).not.toBe(old));
  await eventually(async () => (await fetch(`${urlOf(gateways[0])}/health`)).status === 200);
  await say(goOn(before, 3));
  expect(await told()).toBe(0);
  const again = await say(prompt(1), { cache_salt: 'c' });
  engine('prefill').arm({ kind: 'transfer_failure' });
  const turn = await say(goOn(again, 4), { cache_salt: 'c' });
  expect(turn.output).toHaveLength(150);
  expect(await told()).toBe(1);
  const { url } = engine('prefill');
  expect((await metricsOf(url)).get('nixl_num_failed_transfers_total')).toBe(1);
  expect(fleet.violations.list).toEqual([]);
});
