import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createLogger } from '@baton/service';
import { writeTinyModel } from '@baton/llama';
import { engineConfigSchema } from '../config.ts';
import type { EngineConfig } from '../config.ts';
import type { InferenceEvent } from '../core/inference-port.ts';
import { InferenceThread } from '../core/inference-thread.ts';
import { startEngine } from '../engine.ts';
import type { Engine } from '../engine.ts';

const TEST_MODEL = 'tiny';
export const SEGMENT_TOKENS = 64;

export interface TestEngine {
  url: string;
  endpoints: Engine['endpoints'];
  /** Reasons for which the engine said that it cannot go on. */
  fatal: string[];
  /** The inference thread says that it cannot go on, as it does when a step throws. */
  breakThread(): void;
  stop(): Promise<void>;
}

/** A folder with the generated model in it, for one test file. */
export function tinyModelFolder(): { file: string; remove(): void } {
  const folder = mkdtempSync(path.join(tmpdir(), 'baton-engine-test-'));
  const file = path.join(folder, `${TEST_MODEL}.gguf`);
  writeTinyModel(file);
  return { file, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** An engine with real threads, real libllama and real sockets inside the test's process. */
export async function startTestEngine(
  config: { model: string } & Partial<EngineConfig>,
): Promise<TestEngine> {
  const settings = engineConfigSchema.parse({ threads: 1, ...config });
  const fatal: string[] = [];
  let listener: ((event: InferenceEvent) => void) | undefined;
  const engine = await startEngine({
    config: settings,
    log: createLogger({ name: 'engine', level: 'silent' }),
    openThread: () => {
      const thread = new InferenceThread({
        modelPath: settings.model,
        cells: settings.kvCapacityTokens,
        maxModelTokens: settings.maxModelTokens ?? settings.kvCapacityTokens,
        maxSequences: settings.maxSequences,
        segmentTokens: settings.segmentTokens,
        threads: settings.threads ?? 1,
        reproducible: settings.reproducible,
      });
      return {
        send: (command) => thread.send(command),
        onEvent: (onEvent) => thread.onEvent((listener = onEvent)),
        stop: () => thread.stop(),
      };
    },
    onFatal: (error) => fatal.push(error.message),
  });
  return {
    url: engine.endpoints.http,
    endpoints: engine.endpoints,
    fatal,
    breakThread: () => listener?.({ type: 'fatal', message: 'broken by the test' }),
    stop: () => engine.stop(),
  };
}
