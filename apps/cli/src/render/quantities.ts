/** Numbers as a person reads them. Pure; widths stay small so that columns line up. */

export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 ? Math.round(value) : threeDigits(value)} ${units[unit]}`;
}

export function formatRate(bytesPerSec: number): string {
  return `${formatBytes(bytesPerSec)}/s`;
}

/** `0.42 ms`, `12 ms`, `1.84 s`, `2 min 5 s`. */
export function formatMs(ms: number): string {
  if (ms < 999.5) return `${threeDigits(ms)} ms`;
  if (ms < 99_950) return `${threeDigits(ms / 1000)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** With a space between thousands, so that a column of counts can be read. */
export function formatCount(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(\d{3})+(?!\d))/g, ' ');
}

function threeDigits(value: number): string {
  const decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return String(Number(value.toFixed(decimals)));
}
