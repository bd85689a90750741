import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { crc32 } from 'node:zlib';

const POLYNOMIAL = 0xedb88320;
const FLIPPED = 0xffffffff;
const LAST_BYTES = 4;
/** Well inside a page, away from what a test looks at to see whether it is filled. */
const DAMAGE_AT = 1_000;

/** The pages of an agent's arena, as files in memory show them, to be spoilt. */
export class ArenaPages {
  readonly #path: string;
  readonly #pageBytes: number;

  constructor(folder: string, workerId: string, pageBytes: number) {
    const name = readdirSync(folder).find((file) => file.startsWith(`baton-arena-${workerId}-`));
    if (name === undefined) throw new Error(`no arena of ${workerId} in ${folder}`);
    this.#path = path.join(folder, name);
    this.#pageBytes = pageBytes;
  }

  /** Other bytes in every filled page: their checksums are wrong. How many there were. */
  damage(): number {
    return this.#each((page) => void page.write('damage', DAMAGE_AT));
  }

  /** In every filled page what another one held, with the checksum that is expected of it. */
  exchange(): number {
    const before = this.#filled();
    return this.#each((page, index) => {
      const other = before[(index + 1) % before.length];
      if (other) withChecksum(other, crc32(page)).copy(page);
    });
  }

  #filled(): Buffer[] {
    const bytes = readFileSync(this.#path);
    const pages = Array.from({ length: bytes.length / this.#pageBytes }, (_, i) =>
      bytes.subarray(i * this.#pageBytes, (i + 1) * this.#pageBytes),
    );
    return pages.filter((page) => page.some((byte) => byte !== 0));
  }

  #each(change: (page: Buffer, index: number) => void): number {
    const bytes = readFileSync(this.#path);
    let index = 0;
    for (let at = 0; at < bytes.length; at += this.#pageBytes) {
      const page = bytes.subarray(at, at + this.#pageBytes);
      if (page.every((byte) => byte === 0)) continue;
      change(page, index);
      index += 1;
    }
    writeFileSync(this.#path, bytes, { flag: 'r+' });
    return index;
  }
}

const table = Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = (value >>> 1) ^ (value & 1 ? POLYNOMIAL : 0);
  return value >>> 0;
});
const byHighByte = new Map(table.map((value, byte) => [value >>> 24, byte]));

/** A copy whose last four bytes are chosen so that its CRC-32 is the one that is wanted. */
export function withChecksum(data: Buffer, wanted: number): Buffer {
  const copy = Buffer.from(data);
  const head = copy.subarray(0, copy.length - LAST_BYTES);
  const steps: number[] = [];
  let target = (wanted ^ FLIPPED) >>> 0;
  for (let i = 0; i < LAST_BYTES; i += 1) {
    const step = byHighByte.get(target >>> 24) ?? 0;
    steps.unshift(step);
    target = ((target ^ (table[step] ?? 0)) << 8) >>> 0;
  }
  let register = (crc32(head) ^ FLIPPED) >>> 0;
  steps.forEach((step, i) => {
    copy[head.length + i] = (step ^ register) & 0xff;
    register = ((table[step] ?? 0) ^ (register >>> 8)) >>> 0;
  });
  return copy;
}
