import { onTestFinished } from 'vitest';
import { ScriptedEngine } from './scripted-engine.ts';
import type { ScriptedEngineOptions } from './scripted-engine.ts';

/** An engine that ends with the test. */
export async function startEngine(options: ScriptedEngineOptions = {}): Promise<ScriptedEngine> {
  const engine = await ScriptedEngine.start(options);
  onTestFinished(() => engine.kill());
  return engine;
}

/** Its next life, which ends with the test, too. */
export async function restarted(engine: ScriptedEngine): Promise<ScriptedEngine> {
  const next = await engine.restart();
  onTestFinished(() => next.kill());
  return next;
}
