import {
  defaultCost,
  startSglangFleet,
  startVllmFleet,
  type StandInFleet,
} from '@baton/engine-sim';
import { BatonError } from '@baton/kv';
import type { Output } from '../up/screen.ts';
import type { ServedEngine, ServeSettings, StandInKind } from './serve-options.ts';
import { serve } from './serve.ts';

export interface StandInsOptions extends ServeSettings {
  kind: StandInKind;
  prefill: number;
  decode: number;
  /** Flags that were given and that mean nothing without engines of Baton's own. */
  unused: readonly string[];
}

/** Tokens of an answer on average, so that those without a limit end. */
const MEAN_ANSWER_TOKENS = 64;

function startFleet(
  kind: StandInKind,
  names: readonly string[],
  prefill: number,
): Promise<StandInFleet> {
  const meanAnswerTokens = MEAN_ANSWER_TOKENS;
  if (kind === 'vllm-sim') return startVllmFleet(names, { nixl: {}, meanAnswerTokens });
  const modeOf = (i: number) => (i < prefill ? 'prefill' : 'decode');
  return startSglangFleet(names, { modeOf, meanAnswerTokens });
}

/**
 * `npm start -- --engine vllm-sim` or `sglang-sim`: stand-in servers in this process, and `baton serve` in front of them.
 *
 * @throws BatonError config_invalid for flags that mean nothing with them
 */
export async function serveStandIns(
  { kind, prefill, decode, unused, ...settings }: StandInsOptions,
  out: Output,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  if (unused.length > 0) {
    const message = `${unused.join(', ')} mean${unused.length === 1 ? 's' : ''} nothing with --engine ${kind}.`;
    throw new BatonError('config_invalid', message);
  }
  const named = (role: string, count: number): string[] =>
    Array.from({ length: count }, (_, i) => `${role}-${i + 1}`);
  const names = [...named('prefill', prefill), ...named('decode', decode)];
  const engine = kind === 'vllm-sim' ? 'vLLM' : 'SGLang';
  out.write(`Starting ${prefill} prefill and ${decode} decode stand-ins of ${engine} …\n`);
  const fleet = await startFleet(kind, names, prefill);
  try {
    const engines = fleet.engines.map(({ url, name }, i): ServedEngine => ({
      ...{ url, workerId: name, role: i < prefill ? 'prefill' : 'decode' },
      kvBytesPerToken: defaultCost.kvBytesPerToken,
    }));
    await serve({ engines, areStandIns: true }, settings, out, env);
  } finally {
    await fleet.stop();
  }
  const { total } = fleet.violations;
  if (total > 0) out.write(`The stand-ins count ${total} violations of the engine's contract.\n`);
}
