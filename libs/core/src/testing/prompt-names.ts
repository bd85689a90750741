import { KEY_BYTES, keyAt, keyCount, keyHex, rootKey, segmentKeys } from '@baton/kv';

const SEGMENT_TOKENS = 64;

export interface NamedPrompt {
  tokens: number;
  keys: Uint8Array;
}

/**
 * Prompts that a person can read: `sys/2,doc/3+10` is two segments of "sys", three of "doc" and 10
 * tokens more. Keys are shown as the part's name and the segment's position in the prompt, runs as
 * `doc#2..4`.
 */
export class PromptNames {
  readonly #names = new Map<string, string>();

  parse(text: string): NamedPrompt {
    const form = /^(?<parts>[^+]*?)(\+(?<tail>\d+))?$/.exec(text)?.groups ?? {};
    const tail = Number(form.tail ?? 0);
    const tokens: number[] = [];
    const labels: string[] = [];
    for (const part of (form.parts ?? '').split(',').filter((piece) => piece !== '')) {
      const [name = '', count = '1'] = part.split('/');
      for (let segment = 0; segment < Number(count); segment += 1) {
        labels.push(name);
        tokens.push(...tokensOf(name, segment));
      }
    }
    const keys = segmentKeys(rootKey({ tokenization: 'tok' }), tokens, SEGMENT_TOKENS);
    labels.forEach((label, i) => this.#names.set(keyHex(keyAt(keys, i)), `${label}#${i}`));
    return { tokens: tokens.length + tail, keys };
  }

  /** Keys of a prompt, or with `[2..4)` behind it of those segments. */
  range(text: string): Uint8Array {
    const [, prompt = '', from, to] = /^(.*?)(?:\[(\d+)\.\.(\d+)\))?$/.exec(text) ?? [];
    const { keys } = this.parse(prompt);
    if (from === undefined) return keys;
    return keys.subarray(Number(from) * KEY_BYTES, Number(to) * KEY_BYTES);
  }

  show(keys: Uint8Array): string {
    const runs: { name: string; first: number; last: number }[] = [];
    for (let i = 0; i < keyCount(keys); i += 1) {
      const [name = '', at = '0'] = (this.#names.get(keyHex(keyAt(keys, i))) ?? '?#0').split('#');
      const run = runs.at(-1);
      if (run?.name === name && run.last + 1 === Number(at)) run.last += 1;
      else runs.push({ name, first: Number(at), last: Number(at) });
    }
    if (runs.length === 0) return 'nothing';
    const span = (first: number, last: number): string =>
      first === last ? `${first}` : `${first}..${last}`;
    return runs.map((run) => `${run.name}#${span(run.first, run.last)}`).join(' ');
  }
}

function tokensOf(name: string, segment: number): number[] {
  let seed = segment;
  for (const char of name) seed = (seed * 31 + (char.codePointAt(0) ?? 0)) % 100_003;
  return Array.from({ length: SEGMENT_TOKENS }, (_, i) => seed * SEGMENT_TOKENS + i);
}
