import { BatonError } from '@baton/kv';
import { askConductor } from '../index/index-target.ts';
import { field, isObject, list } from '../json-fields.ts';
import { printable } from '../render/terminal-text.ts';
import { textTable } from '../render/text-table.ts';
import type { CommandOutput } from './explain-command.ts';

const ANSWER_MS = 5000;

export interface PolicyChange {
  policy: string | undefined;
  prefillPolicy: string | undefined;
  decodePolicy: string | undefined;
  queue: string | undefined;
}

export interface PolicyChoice extends CommandOutput {
  /** Undefined for all models that have no settings of their own. */
  model: string | undefined;
  change: PolicyChange;
}

/** `baton policy`: shows how workers are chosen, or changes it while the conductor runs. */
export async function runPolicy(
  url: string,
  { model, change, json, paint, print }: PolicyChoice,
): Promise<void> {
  const isChange = Object.values(change).some((value) => value !== undefined);
  if (isChange) await putPolicy(url, model, change);
  const answer = await askConductor(url, '/policies');
  if (json) return print(JSON.stringify(answer, null, 2));
  print(`all models   ${settingsText(field(answer, 'defaults'))}`);
  const models = field(answer, 'models');
  for (const [name, settings] of Object.entries(isObject(models) ? models : {})) {
    print(`${printable(name)}   ${settingsText(settings)}`);
  }
  if (isChange) return;
  print('');
  const rows = list(field(answer, 'known')).map((known) => [
    printable(String(field(known, 'name'))),
    printable(String(field(known, 'summary'))),
  ]);
  for (const line of textTable(['policy', 'takes'], rows, paint)) print(line);
}

/**
 * Changes how requests are treated, of one model or of all that have no settings of their own.
 * @throws BatonError config_invalid when the conductor refuses, child_failed when it does not answer
 */
export async function putPolicy(
  url: string,
  model: string | undefined,
  change: object,
): Promise<void> {
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
  if (response.ok) return;
  const body = await response.json().catch(() => undefined);
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
