import { EngineError } from './engine-error.ts';
import type { Front } from './front.ts';

/** The base model or an adapter. @throws EngineError as seen on vLLM 0.32 */
export function requireModel(model: unknown, { settings, adapters }: Front): string {
  if (model === undefined || model === null || model === settings.model) return settings.model;
  if (typeof model === 'string' && adapters.find(model) !== undefined) return model;
  const aliases = [settings.model, ...adapters.list.map(({ name }) => name)].join(', ');
  const message = `The model \`${String(model)}\` does not exist. Valid aliases: ${aliases}.`;
  throw new EngineError(404, message, 'model');
}
