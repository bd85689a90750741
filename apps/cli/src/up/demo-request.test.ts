import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import {
  curlCommand,
  demoPromptTokens,
  demoRequest,
  piDigits,
  shellQuoted,
} from './demo-request.ts';

describe('demoRequest', () => {
  it('takes as much text as the tokenizer at hand needs', async () => {
    for (const charsPerToken of [1, 3, 6]) {
      const count = (messages: unknown): Promise<number> =>
        Promise.resolve(Math.floor(JSON.stringify(messages).length / charsPerToken));
      const { body, promptTokens } = await demoRequest('m', count);
      expect(promptTokens).toBeGreaterThanOrEqual(demoPromptTokens);
      expect(promptTokens).toBeLessThan(2 * demoPromptTokens);
      expect(JSON.parse(body)).toMatchObject({ model: 'm', stream: true, max_tokens: 64 });
    }
  });

  it('comes to an end when the tokenizer does not answer or counts nothing', async () => {
    expect((await demoRequest('m', () => Promise.resolve(undefined))).promptTokens).toBeUndefined();
    expect((await demoRequest('m', () => Promise.resolve(1))).promptTokens).toBe(1);
  });
});

it('survives being pasted into a shell', () => {
  const body = JSON.stringify({ content: `it's "$HOME" \`id\` \\ !x %s\n` });
  const command = curlCommand('http://127.0.0.1:8080', body);
  const script = `curl() { for a; do printf '%s\\0' "$a"; done; }\n${command}`;
  const args = execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' }).split('\0');
  expect(args).toEqual([
    '-sN',
    'http://127.0.0.1:8080/v1/chat/completions',
    '-H',
    'content-type: application/json',
    '-d',
    body,
    '',
  ]);
  expect(shellQuoted("a'b")).toBe(`'a'\\''b'`);
});

it('knows pi', () => {
  expect(piDigits(30)).toBe('3.141592653589793238462643383279');
  expect(piDigits(100).slice(-4)).toBe('0679');
});
