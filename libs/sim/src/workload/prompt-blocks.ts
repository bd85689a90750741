import { TRACE_BLOCK_TOKENS } from '../trace/trace-line.ts';

/** A piece of text that several prompts may have in common. Equal ids are equal texts. */
export interface PromptPart {
  id: string;
  tokens: number;
}

/** Names the blocks of prompts as a trace does: equal prefixes have equal numbers, all others have their own. */
export class PromptBlocks {
  readonly #numbers = new Map<string, number>();

  /** Blocks of the parts one after the other, the last one perhaps not full. */
  blocksOf(parts: readonly PromptPart[]): number[] {
    const blocks: number[] = [];
    let text = '';
    let room = TRACE_BLOCK_TOKENS;
    const close = (): void => {
      blocks.push(this.#number(`${blocks.at(-1) ?? ''}>${text}`));
      text = '';
      room = TRACE_BLOCK_TOKENS;
    };
    for (const { id, tokens } of parts) {
      for (let at = 0; at < tokens;) {
        const taken = Math.min(room, tokens - at);
        text += `|${id}:${at}+${taken}`;
        at += taken;
        room -= taken;
        if (room === 0) close();
      }
    }
    if (room < TRACE_BLOCK_TOKENS) close();
    return blocks;
  }

  #number(name: string): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    const number = this.#numbers.size;
    this.#numbers.set(name, number);
    return number;
  }
}

export function tokensOf(parts: readonly PromptPart[]): number {
  return parts.reduce((sum, { tokens }) => sum + tokens, 0);
}
