import { padEnd, padStart, visibleWidth, type Paint } from './terminal-text.ts';

/** A column's title; `>` before it puts its cells to the right. */
export type ColumnTitle = string;

const gap = '  ';

/** Rows under titles, each column as wide as its widest cell. */
export function textTable(
  titles: readonly ColumnTitle[],
  rows: readonly (readonly string[])[],
  paint: Paint,
): string[] {
  const isRight = titles.map((title) => title.startsWith('>'));
  const heads = titles.map((title) => title.replace(/^>/, ''));
  const widths = heads.map((head, i) =>
    Math.max(visibleWidth(head), ...rows.map((row) => visibleWidth(row[i] ?? ''))),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, i) => (isRight[i] ? padStart : padEnd)(cell, widths[i] ?? 0))
      .join(gap)
      .trimEnd();
  return [paint.dim(line(heads)), ...rows.map(line)];
}
