import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { runBaton, type Ran } from '../testing/run-baton.ts';

const cost = { fixedMs: 3, perTokenMs: 0.1234567, perPairMs: 0.0001 };
const answers: Readonly<Record<string, object>> = {
  '/policies': {
    prefillCosts: [{ kind: 'm vllm', cost, observations: 40, errorShare: 0.06 }],
  },
  '/workers': {
    workers: [
      {
        ...{ model: 'm', engine: 'vllm', layout: { bytesPerToken: 1_000 } },
        capabilities: { firstTokenFromPrefill: true },
        loads: [],
      },
    ],
  },
};

async function costModel(...args: string[]): Promise<Ran> {
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answers[request.url ?? ''] ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return runBaton(['cost-model', '--conductor', url, ...args]);
}

test('the file goes to standard output, what it rests on does not', async () => {
  const ran = await costModel('--decode', '9,0.05,0.00003', '--chunk-tokens', '2048');
  expect(ran.code).toBe(0);
  expect(JSON.parse(ran.stdout)).toEqual({
    ...{ name: 'm vllm', kvBytesPerToken: 1_000, chunkTokens: 2_048, firstToken: 'prefill' },
    ...{
      prefill: { ...cost, perTokenMs: 0.1235 },
      decode: { fixedMs: 9, perSequenceMs: 0.05, perKvTokenMs: 0.00003 },
    },
  });
  expect(ran.stderr).toBe(
    'prefill: learned from 40 observations, 6 % off on average\ndecode: as given by --decode\n',
  );
});

test.each([
  [[], 'decode steps are not learned: give --decode FIXED,PER_SEQUENCE,PER_KV_TOKEN.'],
  [['--decode', '9,x,0'], '--decode must be three times in ms such as 9,0.05,0.00003, "9,x,0" is'],
  [['--decode', '9,1'], '--decode must be three times in ms'],
  [['--kind', 'm sglang', '--decode', '9,0,0'], '--kind must be one of "m vllm".'],
])('%j: what is missing or wrong is said, and nothing is written', async (args, message) => {
  const ran = await costModel(...args);
  expect(ran).toMatchObject({ code: 1, stdout: '' });
  expect(ran.stderr).toContain(message);
});
