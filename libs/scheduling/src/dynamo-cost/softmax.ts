/**
 * A position by chance, the likelier the lower its cost. Costs are brought to the range from 0 to 1
 * first, so that one temperature fits all units.
 *
 * @param temperature more than 0; near 0 the least cost nearly always wins
 * @param sample from 0 to below 1
 */
export function softmaxIndex(
  costs: readonly number[],
  temperature: number,
  sample: number,
): number {
  const least = Math.min(...costs);
  const range = Math.max(...costs) - least;
  const weights = costs.map((cost) =>
    range === 0 ? 1 : Math.exp(-(cost - least) / (range * temperature)),
  );
  const target = sample * weights.reduce((sum, weight) => sum + weight, 0);
  let reached = 0;
  for (let i = 0; i < weights.length; i += 1) {
    reached += weights[i] as number;
    if (target <= reached) return i;
  }
  return weights.length - 1;
}
