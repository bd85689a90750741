import { BatonError } from '@baton/kv';
import { askConductor } from '../index/index-target.ts';
import { field, isObject, list } from '../json-fields.ts';
import { printable } from '../render/terminal-text.ts';
import { textTable } from '../render/text-table.ts';
import type { CommandOutput } from './explain-command.ts';

const ANSWER_MS = 5000;

/** Instead of a name: what holds where nothing else was set. */
export const DEFAULT_NAME = 'default';

export interface PolicyChange {
  policy: string | undefined;
  prefillPolicy: string | undefined;
  decodePolicy: string | undefined;
  queue: string | undefined;
}

export interface PolicyChoice extends CommandOutput {
  /** Undefined for all models. */
  model: string | undefined;
  change: PolicyChange;
}

/** `baton policy`: shows how workers are chosen, or changes it while the conductor runs. */
export async function runPolicy(
  url: string,
  { model, change, json, paint, print }: PolicyChoice,
): Promise<void> {
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  const isChange = given.length > 0;
  const patch = given.map(([name, value]) => [name, value === DEFAULT_NAME ? null : value]);
  const warning = isChange ? await putPolicy(url, model, Object.fromEntries(patch)) : undefined;
  const answer = await askConductor(url, '/policies');
  if (json) return print(JSON.stringify(answer, null, 2));
  const defaults = field(answer, 'defaults');
  const unserved = list(field(answer, 'modelsWithoutWorkers'));
  print(`all models   ${settingsText(defaults)}`);
  for (const [name, own] of Object.entries(fieldsOf(field(answer, 'models')))) {
    const settings = { ...fieldsOf(defaults), ...fieldsOf(own) };
    const note = unserved.includes(name) ? '   (no worker)' : '';
    print(`${printable(name)}   ${settingsText(settings)}${note}`);
  }
  if (warning !== undefined) print(`Note: ${warning}.`);
  if (isChange) return;
  print('');
  const rows = list(field(answer, 'known')).map((known) => [
    printable(String(field(known, 'name'))),
    printable(String(field(known, 'summary'))),
  ]);
  for (const line of textTable(['policy', 'takes'], rows, paint)) print(line);
}

/**
 * Changes how requests are treated, of one model or of all, by a merge patch.
 * @returns what the conductor has to say to it
 * @throws BatonError config_invalid when the conductor refuses, child_failed when it does not answer
 */
export async function putPolicy(
  url: string,
  model: string | undefined,
  change: object,
): Promise<string | undefined> {
  const path = model === undefined ? '/policies' : `/policies/${encodeURIComponent(model)}`;
  let response: Response;
  try {
    response = await fetch(`${url}${path}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(change),
      signal: AbortSignal.timeout(ANSWER_MS),
    });
  } catch (error) {
    throw new BatonError('child_failed', `${url} does not answer.`, { cause: error });
  }
  const body: unknown = await response.json().catch(() => undefined);
  if (response.ok) {
    const warning = field(body, 'warning');
    return typeof warning === 'string' ? printable(warning) : undefined;
  }
  const message = field(field(body, 'error'), 'message');
  const what = typeof message === 'string' ? printable(message) : `status ${response.status}`;
  throw new BatonError('config_invalid', `The conductor refused: ${what}.`);
}

/** `kv-centric, queue shortest` */
export function settingsText(settings: unknown): string {
  const word = (key: string): string => {
    const value = field(settings, key);
    return typeof value === 'string' ? printable(value) : '';
  };
  const both = word('policy');
  const [prefill, decode] = [word('prefillPolicy') || both, word('decodePolicy') || both];
  const policy = prefill === decode ? both : `prefill ${prefill}, decode ${decode}`;
  const queue = word('queue');
  return queue === '' ? policy : `${policy}, queue ${queue}`;
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}
