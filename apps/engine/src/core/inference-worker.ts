/** The inference thread: nothing but libllama and the scheduler runs here, and nothing else calls libllama to compute. */
import { parentPort, workerData } from 'node:worker_threads';
import { toBatonError } from '@baton/kv';
import { LlamaModel } from '@baton/llama';
import { openArena } from '@baton/tier-store';
import { InferenceEngine } from './inference-engine.ts';
import type { InferenceCommand, InferenceEvent, InferenceThreadOptions } from './inference-port.ts';
import { IsolatedKvMemory } from './isolated-kv-memory.ts';
import { SharedKvMemory } from './shared-kv-memory.ts';
import { LlamaTokenSampling } from './token-sampling.ts';

/** Prompt tokens of a step beside decoding sequences: bounds the time between their tokens. */
const MIXED_PREFILL_TOKENS = 128;
/** More makes no prompt faster, and segments would leave later. */
const PURE_PREFILL_TOKENS = 256;
/** What libllama writes for K and V here. */
const DTYPE = 'f16';

const port = parentPort;
if (port === null) throw new Error('the inference thread runs as a worker thread only');
const events: InferenceEvent[] = [];

function flush(): void {
  if (events.length > 0) port?.postMessage(events.splice(0));
}

function die(error: unknown): void {
  events.push({ type: 'fatal', message: toBatonError(error).message });
  flush();
  port?.close();
}

function start(options: InferenceThreadOptions) {
  const model = new LlamaModel(options.modelPath);
  model.requireSplittable();
  const { cells, segmentTokens, maxSequences, threads } = options;
  const maxModelTokens = Math.min(options.maxModelTokens, model.facts.contextTokens, cells);
  const onRemoved = (key: Uint8Array): void => {
    events.push({ type: 'removed', keys: key.slice() });
  };
  const common = { model, cells, segmentTokens, maxSequences, threads, onRemoved };
  const memory = options.reproducible
    ? new IsolatedKvMemory({ ...common, maxModelTokens })
    : new SharedKvMemory({ ...common, maxPrefillTokens: PURE_PREFILL_TOKENS + segmentTokens });
  const engine = new InferenceEngine({
    memory,
    sampling: new LlamaTokenSampling(model),
    segmentTokens,
    maxModelTokens,
    maxSequences,
    mixedPrefillTokens: MIXED_PREFILL_TOKENS,
    purePrefillTokens: PURE_PREFILL_TOKENS,
    openArena,
    emit: (event) => events.push(event),
    nowMs: () => performance.now(),
  });
  engine.measureSpeed();
  events.push({
    type: 'ready',
    facts: {
      modelRevision: model.facts.modelRevision,
      dtype: DTYPE,
      layers: model.facts.layers,
      bytesPerToken: memory.bytesPerToken,
      segmentBytes: memory.segmentBytes,
      pageBytes: memory.segmentBytes,
      maxModelTokens,
      capacityBlocks: memory.capacityBlocks,
      maxSequences,
    },
  });
  // Nothing is to be done yet: what comes of it is the load, with the speed in it.
  engine.step();
  flush();
  const close = (): void => {
    engine.stop();
    flush();
    memory.close();
    model.close();
  };
  return { engine, close };
}

function run(): void {
  const { engine, close } = start(workerData as InferenceThreadOptions);
  let isScheduled = false;
  let isOver = false;
  const schedule = (): void => {
    if (isScheduled || isOver) return;
    isScheduled = true;
    // Between two steps the event loop turns once, so that commands are taken in.
    setImmediate(() => {
      isScheduled = false;
      if (isOver) return;
      try {
        const more = engine.step();
        flush();
        if (more) schedule();
      } catch (error) {
        isOver = true;
        die(error);
      }
    });
  };
  port?.on('message', (command: InferenceCommand) => {
    if (isOver) return;
    if (command?.type === 'stop') {
      isOver = true;
      close();
      port?.close();
      return;
    }
    try {
      engine.handle(command);
    } catch (error) {
      const { message } = toBatonError(error);
      events.push({ type: 'refused', command: String(command?.type), message });
    }
    flush();
    schedule();
  });
}

try {
  run();
} catch (error) {
  die(error);
}
