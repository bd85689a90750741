import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '@baton/test-kit';
import { startServed, type Served } from '../../kit/served.ts';
import { toldToStop } from '../check.ts';
import type { VllmInstallation } from './install.ts';
import { KV_BYTES_PER_TOKEN, RealVllm } from './real-vllm.ts';

/** Enough for some 20 prompts of 800 tokens, so that prompts that come back are gone by then. */
export const BLOCKS = 512;

/** How two servers are started. */
export interface PairSetup {
  /** What moves KV, as vLLM's `kv_connector` has it. */
  connector: string;
  /** As `kv_connector_extra_config`. */
  extra?: Record<string, unknown>;
  /** Blocks of each engine's KV cache, where {@link BLOCKS} are too few. */
  blocks?: number;
  /** More of the engines' command line, and of their environment. */
  flags?: readonly string[];
  env?: NodeJS.ProcessEnv;
  /** Of `baton serve`, for a pair of it. */
  serveFlags?: (prefill: RealVllm) => readonly string[];
}

/** Two real vLLM servers, and Baton in front of them, once as a pair and once as equals. */
export interface VllmLab {
  /** What moves KV. */
  connector: string;
  installation: VllmInstallation;
  /** Of logs, and of whatever a check writes. */
  folder: string;
  prefill: RealVllm;
  decode: RealVllm;
  /** `baton serve --prefill … --decode …` */
  pair: Served;
  /** `baton serve --worker … --worker …` */
  equals: Served;
  say(line: string): void;
}

export async function withVllmLab(
  setup: PairSetup,
  installation: VllmInstallation,
  say: (line: string) => void,
  signal: AbortSignal,
  use: (lab: VllmLab) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'conformance-vllm-'));
  say(`logs of the engines, and at the end of Baton, are in ${folder}`);
  const transfer = (role: string) => () => ({
    ...{ kv_connector: setup.connector, kv_role: role, kv_buffer_device: 'cpu' },
    kv_connector_extra_config: setup.extra ?? {},
  });
  const { connector, blocks = BLOCKS, flags = [], env = {} } = setup;
  const common = { installation, folder, blocks, flags, env };
  const stops: (() => Promise<void>)[] = [];
  const aborted = toldToStop(signal);
  try {
    const begun = [
      RealVllm.begin({ ...common, name: 'prefill', transfer: transfer('kv_producer') }),
      RealVllm.begin({ ...common, name: 'decode', transfer: transfer('kv_consumer') }),
    ] as const;
    const [prefill, decode] = await Promise.all(begun);
    stops.push(
      () => prefill.stop(),
      () => decode.stop(),
    );
    await Promise.race([Promise.all([prefill.healthy(), decode.healthy()]), aborted]);
    say('both engines serve');
    const [pair, equals] = [
      await serve([
        ...['--prefill', prefill.url, '--decode', decode.url],
        ...(setup.serveFlags?.(prefill) ?? []),
      ]),
      await serve(['--worker', prefill.url, '--worker', decode.url]),
    ];
    const stopServed = async (name: string, served: Served): Promise<void> => {
      await served.stop();
      writeFileSync(path.join(folder, `${name}.log`), served.output());
    };
    stops.push(
      () => stopServed('pair', pair),
      () => stopServed('equals', equals),
    );
    await Promise.race([
      use({ connector, installation, folder, prefill, decode, pair, equals, say }),
      aborted,
    ]);
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

async function serve(flags: string[]): Promise<Served> {
  const bytes = ['--kv-bytes-per-token', String(KV_BYTES_PER_TOKEN)];
  return startServed(['serve', ...bytes, ...flags], { port: await freePort(), engines: 2 });
}
