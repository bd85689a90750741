import type { CommandOutput } from '../commands/explain-command.ts';
import { callConductor } from '../index/call-conductor.ts';
import { askConductor } from '../index/index-target.ts';
import { field, list } from '../json-fields.ts';
import { printable } from '../render/terminal-text.ts';
import { textTable } from '../render/text-table.ts';

/** Longer than the conductor waits for an engine that loads. */
const ANSWER_MS = 130_000;

export interface NewAdapter {
  name: string;
  path: string;
  model: string | undefined;
  workers: string[] | undefined;
}

/** `baton adapter list`: LoRA adapters, and which engine has which. */
export async function listAdapters(url: string, output: CommandOutput): Promise<void> {
  const { json, paint, print } = output;
  const adapters = list(field(await askConductor(url, '/adapters'), 'adapters'));
  if (json) return print(JSON.stringify(adapters, null, 2));
  if (adapters.length === 0) return print('No engine has an adapter.');
  const rows = adapters.flatMap((adapter) =>
    list(field(adapter, 'workers')).map((worker) => [
      text(adapter, 'name'),
      text(adapter, 'model'),
      text(worker, 'workerId'),
      text(worker, 'state'),
      field(adapter, 'serves') === true ? 'yes' : 'no',
      text(adapter, 'path'),
    ]),
  );
  const titles = ['adapter', 'model', 'worker', 'state', 'serves', 'path'];
  for (const line of textTable(titles, rows, paint)) print(line);
}

/** `baton adapter load`. @returns whether all engines that were meant have loaded it */
export async function loadAdapter(
  url: string,
  adapter: NewAdapter,
  output: CommandOutput,
): Promise<boolean> {
  const answer = await callConductor(`${url}/adapters`, 'POST', adapter, ANSWER_MS);
  return said(answer, `has loaded ${printable(adapter.name)}`, output);
}

/** `baton adapter unload`. @returns whether all engines that were meant have unloaded it */
export async function unloadAdapter(
  url: string,
  { name, workers, isNow }: { name: string; workers: readonly string[]; isNow: boolean },
  output: CommandOutput,
): Promise<boolean> {
  const query = new URLSearchParams(workers.map((id): [string, string] => ['worker', id]));
  if (isNow) query.set('now', 'true');
  const address = `${url}/adapters/${encodeURIComponent(name)}?${query}`;
  const answer = await callConductor(address, 'DELETE', undefined, ANSWER_MS);
  return said(answer, `has unloaded ${printable(name)}`, output);
}

/** A line for each engine. */
function said(answer: unknown, done: string, { json, print }: CommandOutput): boolean {
  const results = list(field(answer, 'results'));
  if (json) print(JSON.stringify(results, null, 2));
  else {
    for (const result of results) {
      const what = field(result, 'ok') === true ? done : `refused: ${text(result, 'message')}`;
      print(`${text(result, 'workerId')} ${what}`);
    }
  }
  return results.length > 0 && results.every((result) => field(result, 'ok') === true);
}

function text(object: unknown, name: string): string {
  const value = field(object, name);
  return typeof value === 'string' ? printable(value) : '';
}
