import { hash } from 'node:crypto';

/** Positions on the ring are 48-bit numbers. */
const POSITION_HEX_DIGITS = 12;

interface Point {
  position: number;
  member: string;
}

/** Consistent hashing: each member owns many small arcs, and only its arcs move when it comes or goes. */
export class HashRing {
  readonly #pointsPerMember: number;
  readonly #members = new Set<string>();
  #points: Point[] = [];

  /** @param pointsPerMember the more, the more even the arcs */
  constructor(pointsPerMember: number) {
    this.#pointsPerMember = pointsPerMember;
  }

  add(members: Iterable<string>): void {
    const fresh: Point[] = [];
    for (const member of members) {
      if (this.#members.has(member)) continue;
      this.#members.add(member);
      for (let i = 0; i < this.#pointsPerMember; i += 1) {
        fresh.push({ position: ringPosition(`${member}#${i}`), member });
      }
    }
    if (fresh.length === 0) return;
    this.#points.push(...fresh);
    this.#points.sort((a, b) => a.position - b.position || (a.member < b.member ? -1 : 1));
  }

  /** Members for which it is true are gone. */
  remove(isGone: (member: string) => boolean): void {
    for (const member of this.#members) {
      if (isGone(member)) this.#members.delete(member);
    }
    this.#points = this.#points.filter(({ member }) => this.#members.has(member));
  }

  /** The first member at or after a position that may be taken; undefined when none may. */
  next(position: number, mayTake: (member: string) => boolean): string | undefined {
    const start = this.#firstAt(position);
    for (let i = 0; i < this.#points.length; i += 1) {
      const point = this.#points[(start + i) % this.#points.length];
      if (point !== undefined && mayTake(point.member)) return point.member;
    }
    return undefined;
  }

  #firstAt(position: number): number {
    let low = 0;
    let high = this.#points.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#points[middle]?.position ?? 0) < position) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Where a text, or the bytes of a key, are on every ring. */
export function ringPosition(value: string | Uint8Array): number {
  return Number.parseInt(hash('sha256', value, 'hex').slice(0, POSITION_HEX_DIGITS), 16);
}
