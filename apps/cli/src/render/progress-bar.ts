import { formatBytes } from './quantities.ts';

const barColumns = 24;

/** `model  ██████░░░░░░  42 %  39.1 of 92.9 MB`, without a line end. */
export function progressBar(label: string, doneBytes: number, totalBytes: number): string {
  const share = shareOf(doneBytes, totalBytes);
  const filled = Math.round(share * barColumns);
  const bar = '█'.repeat(filled) + '░'.repeat(barColumns - filled);
  const percent = `${Math.floor(share * 100)} %`.padStart(5);
  return `${label}  ${bar} ${percent}  ${formatBytes(doneBytes)} of ${formatBytes(totalBytes)}`;
}

/** For outputs that cannot rewrite a line: one text for each quarter, undefined in between. */
export function progressMilestone(
  label: string,
  doneBytes: number,
  totalBytes: number,
  shownQuarters: number,
): { text: string; quarters: number } | undefined {
  const quarters = Math.floor(shareOf(doneBytes, totalBytes) * 4);
  if (quarters <= shownQuarters) return undefined;
  return { text: `${label}: ${quarters * 25} % of ${formatBytes(totalBytes)}`, quarters };
}

function shareOf(doneBytes: number, totalBytes: number): number {
  return totalBytes <= 0 ? 0 : Math.min(1, Math.max(0, doneBytes / totalBytes));
}
