/** Position of the least value, of equal ones the first. @throws RangeError when there is none */
export function argmin(values: readonly number[]): number {
  let best = -1;
  let least = Infinity;
  for (let i = 0; i < values.length; i += 1) {
    const value = values[i] as number;
    if (best < 0 || value < least) {
      best = i;
      least = value;
    }
  }
  if (best < 0) throw new RangeError('there must be a value');
  return best;
}
