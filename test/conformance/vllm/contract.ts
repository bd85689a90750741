import { post, randomText, stream } from '@baton/test-kit';
import type { Served } from '../../kit/served.ts';
import { finding, type Check, type Finding } from '../check.ts';
import type { VllmLab } from './lab.ts';
import { MAX_MODEL_TOKENS, MODEL, type RealVllm } from './real-vllm.ts';

const greedy = { model: MODEL, temperature: 0, max_tokens: 12 };
const chat = (content: string) => ({ ...greedy, messages: [{ role: 'user', content }] });

/** Answers are those of the engine itself, in both APIs, streamed and whole; what cannot be served is refused before it costs. */
export const contract: Check<VllmLab> = {
  name: 'contract',
  describes: 'both APIs, streamed and whole, against the engine itself; refusals',
  async run({ pair, equals, prefill, decode }) {
    const findings: Finding[] = [];
    for (const [what, served] of [
      ['a pair', pair],
      ['equals', equals],
    ] as const) {
      findings.push(await sameAnswers(what, served, prefill));
    }
    findings.push(...(await refusals(pair, [prefill, decode])));
    return findings;
  },
};

async function sameAnswers(what: string, served: Served, engine: RealVllm): Promise<Finding> {
  const differing: string[] = [];
  let asked = 0;
  for (const characters of [20, 700]) {
    const text = randomText(characters, characters);
    for (const [path, body] of [
      ['/v1/completions', { ...greedy, prompt: text, ignore_eos: true }],
      ['/v1/chat/completions', { ...chat(text), ignore_eos: true }],
    ] as const) {
      const alone = await post(engine.url, path, { ...body, cache_salt: 'alone' });
      const [choice] = alone.body.choices;
      const expected = choice?.text ?? choice?.message?.content;
      const whole = await post(served.url, path, body);
      const [given] = whole.body.choices ?? [];
      const streamed = await stream(served.url, path, body);
      const texts = [given?.text ?? given?.message?.content, streamed.text];
      asked += texts.length;
      const usage = whole.body.usage?.completion_tokens;
      if (texts.some((one) => one !== expected) || usage !== greedy.max_tokens) {
        differing.push(`${path} of ${characters} characters`);
      }
    }
  }
  const seen = differing.length === 0 ? `${asked} of ${asked}` : `not ${differing.join(', ')}`;
  return finding(`answers of ${what} are those of an engine alone`, differing.length === 0, seen);
}

async function refusals(served: Served, engines: readonly RealVllm[]): Promise<Finding[]> {
  const done = async (): Promise<number> => {
    const counts = await Promise.all(engines.map((engine) => promptTokens(engine)));
    return counts.reduce((sum, count) => sum + count, 0);
  };
  const before = await done();
  const refused: [string, object][] = [
    ['a prompt that with its output exceeds the window', { max_tokens: MAX_MODEL_TOKENS }],
    ['handover parameters of a client', { kv_transfer_params: { do_remote_prefill: true } }],
    ['a request id of a client', { request_id: 'mine' }],
  ];
  const findings: Finding[] = [];
  for (const [what, fields] of refused) {
    const body = { ...greedy, prompt: randomText(1, 400), ...fields };
    const { status, body: answer } = await post(served.url, '/v1/completions', body);
    const seen = `${status}: ${answer.error?.message ?? 'served'}`;
    findings.push(finding(`${what} is refused`, status === 400, seen));
  }
  const computed = (await done()) - before;
  findings.push(
    finding('refusals cost the engines nothing', computed === 0, `${computed} prompt tokens`),
  );
  return findings;
}

/** Prompt tokens that an engine has taken since it began. */
async function promptTokens(engine: RealVllm): Promise<number> {
  return (await engine.metrics()).get('prompt_tokens_total') ?? 0;
}
