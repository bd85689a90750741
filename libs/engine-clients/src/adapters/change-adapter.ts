import { BatonError } from '@baton/kv';
import type { EngineAccess } from '../access/engine-access.ts';
import { askEngine, jsonOf, type EngineAnswer } from '../probe/ask-engine.ts';

/** What is to become of an adapter: loaded from a path on the engine's machine, or unloaded. */
export interface AdapterChange {
  name: string;
  /** Absent to unload it. */
  path?: string | undefined;
}

export interface ChangedEngine {
  engine: 'vllm' | 'sglang';
  engineUrl: string;
  access?: EngineAccess | undefined;
  signal: AbortSignal;
}

/** Weights come from a disk, or from far away. */
const TIMEOUT_MS = 120_000;
const MAX_SAID_CHARS = 500;
const HTTP_NOT_FOUND = 404;
const PREFIX = { vllm: '/v1', sglang: '' } as const;

/**
 * Has an engine load or unload an adapter.
 *
 * @throws BatonError adapter_refused with what the engine says; as `askEngine` does when it says nothing
 */
export async function changeAdapter(
  { engine, ...where }: ChangedEngine,
  { name, path }: AdapterChange,
): Promise<void> {
  const [what, body] =
    path === undefined
      ? ['unload', { lora_name: name }]
      : ['load', { lora_name: name, lora_path: path }];
  const route = `${PREFIX[engine]}/${what}_lora_adapter`;
  const answer = await askEngine({ ...where, path: route, body, timeoutMs: TIMEOUT_MS });
  const isDone = answer.status >= 200 && answer.status <= 299;
  if (isDone && (jsonOf(answer) as { success?: unknown } | undefined)?.success !== false) return;
  throw new BatonError('adapter_refused', `${where.engineUrl}: ${whyNot(engine, answer)}`);
}

/** vLLM has `error.message`, SGLang `error_message`, and a server without the route says that it does not know it. */
function whyNot(engine: ChangedEngine['engine'], { status, text }: EngineAnswer): string {
  const said = parsed(text);
  const message = said.error?.message ?? said.error_message ?? said.message;
  if (typeof message === 'string') return message.slice(0, MAX_SAID_CHARS);
  if (status !== HTTP_NOT_FOUND) return `status ${status}`;
  return engine === 'vllm'
    ? 'it loads no adapters while it runs; start it with --enable-lora and VLLM_ALLOW_RUNTIME_LORA_UPDATING=True'
    : 'it loads no adapters; start it with --enable-lora';
}

interface Said {
  error?: { message?: unknown } | undefined;
  error_message?: unknown;
  message?: unknown;
}

function parsed(text: string): Said {
  try {
    const said: unknown = JSON.parse(text);
    return typeof said === 'object' && said !== null ? (said as Said) : {};
  } catch {
    return {};
  }
}
