import { stripVTControlCharacters } from 'node:util';

/** Colours and weights; each function returns its text unchanged where the output is no terminal. */
export interface Paint {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  cyan(text: string): string;
}

const plain = (text: string): string => text;
const sgr =
  (on: number, off: number) =>
  (text: string): string =>
    text === '' ? text : `\x1b[${on}m${text}\x1b[${off}m`;

export const noPaint: Paint = {
  bold: plain,
  dim: plain,
  red: plain,
  green: plain,
  yellow: plain,
  cyan: plain,
};

export const ansiPaint: Paint = {
  bold: sgr(1, 22),
  dim: sgr(2, 22),
  red: sgr(31, 39),
  green: sgr(32, 39),
  yellow: sgr(33, 39),
  cyan: sgr(36, 39),
};

/** Colours on a terminal, unless the user said no (https://no-color.org) or the terminal cannot. */
export function paintFor(isTty: boolean, env: NodeJS.ProcessEnv): Paint {
  const refused = (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb';
  return isTty && !refused ? ansiPaint : noPaint;
}

/** Columns that a text takes, colours not counted. */
export function visibleWidth(text: string): number {
  return [...stripVTControlCharacters(text)].length;
}

export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - visibleWidth(text)));
}

export function padStart(text: string, width: number): string {
  return ' '.repeat(Math.max(0, width - visibleWidth(text))) + text;
}

/** Cuts to `width` columns, with … for what is lost; colours stay balanced. */
export function clip(text: string, width: number): string {
  if (visibleWidth(text) <= width) return text;
  let shown = 0;
  let result = '';
  // An escape sequence takes no column; everything else takes one.
  for (const piece of text.match(/\x1b\[[0-9;]*m|./gsu) ?? []) {
    if (piece.startsWith('\x1b')) result += piece;
    else if (shown < width - 1) {
      result += piece;
      shown++;
    }
  }
  const reset = result.includes('\x1b') ? '\x1b[0m' : '';
  return `${result}${reset}${width > 0 ? '…' : ''}`;
}

/** What came from another process, without anything that could steer the terminal. */
export function printable(text: string): string {
  return stripVTControlCharacters(text).replace(/[\p{Cc}\p{Cf}]/gu, ' ');
}
