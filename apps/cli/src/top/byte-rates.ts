import type { FleetView } from './fleet-view.ts';

export interface ByteRates {
  inBytesPerSec: number;
  outBytesPerSec: number;
}

interface Sample {
  atMs: number;
  bytesIn: number;
  bytesOut: number;
}

/** Agents count in beats, about one a second: a shorter time would show nothing, then twice too much. */
const windowMs = 2_000;
const maxSamples = 32;

/** Bytes per second of each worker over the last two seconds, from counters that only grow. */
export class ByteRateMeter {
  readonly #samples = new Map<string, Sample[]>();

  measure(fleet: FleetView, nowMs: number): Map<string, ByteRates> {
    const rates = new Map<string, ByteRates>();
    for (const { id, bytesIn, bytesOut } of fleet.workers) {
      const samples = this.#samples.get(id) ?? [];
      this.#samples.set(id, samples);
      const last = samples.at(-1);
      // A new incarnation counts from zero.
      if (last !== undefined && (bytesIn < last.bytesIn || bytesOut < last.bytesOut))
        samples.length = 0;
      samples.push({ atMs: nowMs, bytesIn, bytesOut });
      while (samples.length > maxSamples || (samples[1]?.atMs ?? nowMs) <= nowMs - windowMs)
        samples.shift();
      const first = samples[0];
      if (first === undefined || first.atMs >= nowMs) continue;
      const seconds = (nowMs - first.atMs) / 1000;
      rates.set(id, {
        inBytesPerSec: (bytesIn - first.bytesIn) / seconds,
        outBytesPerSec: (bytesOut - first.bytesOut) / seconds,
      });
    }
    return rates;
  }
}
