import type { TraceRequest } from '@baton/sim';

/** Of the logs that are built here; small, so that a test can count. */
export const BLOCK = 100;

const named = <T>(): ((key: T) => number) => {
  const names = new Map<T, number>();
  return (key) => {
    const name = names.get(key) ?? names.size;
    names.set(key, name);
    return name;
  };
};

/**
 * A log whose prompts are given as the texts of their blocks.
 *
 * @param lastTokens of the last block of each prompt
 */
export function builtLog(
  prompts: readonly (readonly string[])[],
  { hasContent = true, lastTokens = BLOCK } = {},
): TraceRequest[] {
  const [prefixName, contentName] = [named<string>(), named<string>()];
  return prompts.map((texts, i) => ({
    ...{ atMs: i, outputTokens: 1, blockTokens: BLOCK },
    promptTokens: (texts.length - 1) * BLOCK + lastTokens,
    blocks: texts.map((_, at) => prefixName(texts.slice(0, at + 1).join('\n'))),
    ...(hasContent && { contentIds: texts.map(contentName) }),
  }));
}

/** `count` prompts, each made from its number. */
export function prompts(count: number, made: (i: number) => string[]): string[][] {
  return Array.from({ length: count }, (_, i) => made(i));
}

/** `name 0`, `name 1`, …: blocks of one text. */
export function textOf(name: string, blocks: number): string[] {
  return Array.from({ length: blocks }, (_, i) => `${name} ${i}`);
}
