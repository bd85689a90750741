import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawnGuarded, type GuardedProcess } from '@baton/provision';
import { freePort } from '@baton/test-kit';

/** Loading takes minutes on a busy machine: bounds a failure, not a speed. */
const START_LIMIT_MS = 600_000;
const connector = path.resolve(import.meta.dirname, '../../../integrations/vllm');

export interface VllmSettings {
  name: string;
  /** Its Python environment, and a model of at most 1,024 tokens. */
  venv: string;
  model: string;
  /** Where its agent listens. */
  socketPath: string;
  logFolder: string;
  /** More arguments of `vllm serve`. */
  extra?: readonly string[];
}

export interface VllmServer {
  url: string;
  stop(): Promise<void>;
}

/** A real vLLM on this machine's CPU, with Baton's connector and KV events, when it answers. */
export async function startVllm(settings: VllmSettings): Promise<VllmServer> {
  const { name, venv, model, logFolder, extra = [] } = settings;
  const [port, events, replay] = [await freePort(), await freePort(), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  const kvTransfer = {
    kv_connector: 'BatonConnector',
    kv_role: 'kv_both',
    kv_connector_module_path: 'baton_vllm',
    kv_load_failure_policy: 'recompute',
    kv_connector_extra_config: { agent: settings.socketPath, url },
  };
  const kvEvents = {
    enable_kv_cache_events: true,
    publisher: 'zmq',
    endpoint: `tcp://*:${events}`,
    replay_endpoint: `tcp://*:${replay}`,
  };
  const args = [
    ...['serve', model, '--served-model-name', 'tiny', '--host', '127.0.0.1'],
    ...['--port', String(port), '--enforce-eager', '--dtype', 'float32', '--block-size', '32'],
    ...['--max-model-len', '1024', '--max-num-seqs', '8', '--enable-prompt-tokens-details'],
    ...['--kv-events-config', JSON.stringify(kvEvents)],
    ...['--kv-transfer-config', JSON.stringify(kvTransfer), ...extra],
  ];
  const env = {
    ...process.env,
    ...{ HF_HUB_OFFLINE: '1', VLLM_NO_USAGE_STATS: '1', DO_NOT_TRACK: '1' },
    ...{ VLLM_CPU_KVCACHE_SPACE: '1', VLLM_CPU_OMP_THREADS_BIND: 'nobind', OMP_NUM_THREADS: '1' },
    // For /reset_prefix_cache.
    VLLM_SERVER_DEV_MODE: '1',
    ...{ PYTHONPATH: connector, PYTHONDONTWRITEBYTECODE: '1' },
  };
  const guarded = spawnGuarded(path.join(venv, 'bin/vllm'), args, { env });
  keepLog(guarded, path.join(logFolder, `vllm-${name}.log`));
  const ended = once(guarded.guard, 'exit');
  const stop = async (): Promise<void> => {
    guarded.stop();
    await ended;
  };
  const deadlineMs = performance.now() + START_LIMIT_MS;
  while (!(await answers(url))) {
    if (guarded.guard.exitCode !== null || performance.now() > deadlineMs) {
      guarded.kill();
      throw new Error(`vLLM ${name} did not start; see ${logFolder}/vllm-${name}.log`);
    }
    await sleep(1_000);
  }
  return { url, stop };
}

function keepLog({ guard }: GuardedProcess, file: string): void {
  for (const stream of [guard.stdout, guard.stderr]) {
    stream?.on('data', (text: Buffer) => appendFileSync(file, text));
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/health`)).ok;
  } catch {
    return false;
  }
}
