import { findChatModel, findNatsServer, tinyModelPath } from '@baton/provision';
import type { ServedModel } from './fleet-plan.ts';
import type { Screen } from './screen.ts';
import type { UpOptions } from './up-options.ts';

export interface Search {
  options: UpOptions;
  env: NodeJS.ProcessEnv;
  screen: Screen;
  signal: AbortSignal;
}

/** Path of the nats-server to run, found or fetched. */
export async function findNatsBinary({ options, env, screen, signal }: Search): Promise<string> {
  const found = await findNatsServer({
    log: (line) => screen.line(line),
    allowInstall: true,
    given: options.natsServer,
    env,
    signal,
    onProgress: (done, total) => screen.progress('nats-server', done, total),
  });
  return found.path;
}

/** The model to serve; `remark` says what a person should know of it. */
export async function findServedModel(
  search: Search,
): Promise<{ model: ServedModel; remark?: string }> {
  const { options, env, screen, signal } = search;
  if (options.model === 'tiny')
    return generatedModel(env, 'as asked for with --model tiny', 'leave --model out');
  if (options.model !== undefined) return { model: { path: options.model } };
  const found = await findChatModel({
    log: (line) => screen.line(line),
    env,
    signal,
    onProgress: (done, total) => screen.progress('model', done, total),
  });
  if (found.model !== undefined)
    return { model: { path: found.model.path, name: found.model.name } };
  return generatedModel(
    env,
    `since the real one could not be fetched: ${found.reason}`,
    'get pip and a network and start again',
  );
}

async function generatedModel(
  env: NodeJS.ProcessEnv,
  why: string,
  remedy: string,
): Promise<{ model: ServedModel; remark: string }> {
  const { writeTinyModel } = await import('@baton/llama');
  const path = await tinyModelPath({ env, write: (file) => writeTinyModel(file) });
  const remark =
    `The model is the generated test model, ${why}. Its weights are random, so its text means nothing. ` +
    `For a real one ${remedy}, or name a file: npm start -- --model FILE.gguf`;
  return { model: { path }, remark };
}
