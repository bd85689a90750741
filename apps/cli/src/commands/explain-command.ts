import { BatonError } from '@baton/kv';
import { askConductor } from '../index/index-target.ts';
import { field, list } from '../json-fields.ts';
import { formatMs } from '../render/quantities.ts';
import { printable, type Paint } from '../render/terminal-text.ts';
import { textTable } from '../render/text-table.ts';

export interface CommandOutput {
  json: boolean;
  paint: Paint;
  print: (line: string) => void;
}

/** Plans that a conductor tells at once. */
const MOST_PLANS = 256;

/**
 * `baton explain`: what was weighed for one plan, and why the others lost.
 *
 * @param id of the plan or of the request, or its beginning; undefined for the last plan
 * @throws BatonError config_invalid when there is no such plan
 */
export async function runExplain(
  url: string,
  id: string | undefined,
  { json, paint, print }: CommandOutput,
): Promise<void> {
  const plans = list(field(await askConductor(url, `/plans?limit=${MOST_PLANS}`), 'plans'));
  const isMeant = (plan: unknown): boolean =>
    id === undefined ||
    [field(plan, 'planId'), field(plan, 'requestId')].some((name) => text(name).startsWith(id));
  const plan = plans.find(isMeant);
  if (plan === undefined) {
    const what =
      id === undefined
        ? 'There has been no request yet.'
        : `No plan or request begins with "${id}".`;
    throw new BatonError('config_invalid', `${what} The conductor keeps the last ${MOST_PLANS}.`);
  }
  if (json) return print(JSON.stringify(plan, null, 2));
  for (const line of explainLines(plan, paint)) print(line);
}

export function explainLines(plan: unknown, paint: Paint): string[] {
  const explanation = field(plan, 'explanation');
  const candidates = list(field(explanation, 'candidates'));
  const considered = amount(field(explanation, 'considered'));
  return [
    ...headLines(plan, explanation),
    ...choiceLines(field(plan, 'choice'), paint),
    ...list(field(explanation, 'reasons')).map(
      (reason) => `because     ${printable(text(reason))}`,
    ),
    '',
    ...(candidates.length === 0 ? ['Nobody could take it.'] : candidateTable(candidates, paint)),
    ...(considered > candidates.length
      ? [paint.dim(`and ${considered - candidates.length} more`)]
      : []),
    ...ineligibleLines(list(field(explanation, 'ineligible')), paint),
  ];
}

function headLines(plan: unknown, explanation: unknown): string[] {
  const name = (key: string): string => printable(text(field(plan, key)));
  const [state, reason] = [name('state'), name('endReason')];
  const end = reason === '' || reason === state ? state : `${state}: ${reason}`;
  const predicted = field(field(plan, 'choice'), 'predictedTtftMs');
  const was = field(plan, 'ttftMs');
  const times = [
    `waited ${formatMs(amount(field(plan, 'waitedMs')))}`,
    ...(predicted === undefined
      ? []
      : [`predicted ${formatMs(amount(predicted))} to the first token`]),
    ...(was === undefined ? [] : [`it took ${formatMs(amount(was))}`]),
  ];
  const matched = amount(field(explanation, 'matchedTokens'));
  const mode = name('mode');
  return [
    `plan        ${name('planId')} of request ${name('requestId')}, ${end}`,
    `prompt      ${name('promptTokens')} tokens of ${name('model')}, ${matched} of them held somewhere`,
    `policy      ${printable(text(field(explanation, 'policy')))}${mode === '' ? '' : `, ${mode}`}`,
    `time        ${times.join(', ')}`,
  ];
}

/** The split: what was there, what was brought, what was computed. */
function choiceLines(choice: unknown, paint: Paint): string[] {
  if (choice === undefined || choice === null) return [];
  const [prefill, decode] = ['prefill', 'decode'].map((key) => field(choice, key));
  const worker = (leg: unknown): string => paint.bold(printable(text(field(leg, 'workerId'))));
  const segments = (count: unknown): string => `${amount(count)} segments`;
  const loaded = Number(field(prefill, 'loadedSegments') ?? 0);
  const parts = [
    `${segments(field(prefill, 'heldSegments'))} held${loaded > 0 ? ` (${loaded} of them to be loaded from below its memory)` : ''}`,
    ...list(field(choice, 'pulls')).map(
      (pull) => `${segments(field(pull, 'segments'))} pulled from ${sourceOf(pull)}`,
    ),
    `${amount(field(prefill, 'prefillTokens'))} tokens computed`,
  ];
  const lines = [`prefill     ${worker(prefill)}: ${parts.join(', ')}`];
  if (field(choice, 'mode') === 'disaggregated') {
    lines.push(
      `decode      ${worker(decode)}: ${segments(field(decode, 'heldSegments'))} held, the rest handed over`,
    );
  }
  return lines;
}

function sourceOf(pull: unknown): string {
  return printable(text(field(pull, 'sourceWorker')));
}

function candidateTable(candidates: readonly unknown[], paint: Paint): string[] {
  const termsOf = (candidate: unknown): Record<string, unknown> => {
    const terms = field(candidate, 'terms');
    return typeof terms === 'object' && terms !== null ? { ...terms } : {};
  };
  const names = [...new Set(candidates.flatMap((candidate) => Object.keys(termsOf(candidate))))];
  const isTime = names.some((name) => name.endsWith('Ms'));
  const rows = candidates.map((candidate) => {
    const terms = termsOf(candidate);
    const outcome = text(field(candidate, 'outcome'));
    return [
      text(field(candidate, 'leg')),
      printable(text(field(candidate, 'prefillWorker'))),
      printable(text(field(candidate, 'decodeWorker'))),
      ...names.map((name) => termText(name, terms[name])),
      costText(amount(field(candidate, 'cost')), isTime),
      list(field(candidate, 'pulls')).map(sourceOf).join(', '),
      outcome === 'chosen' ? paint.green(outcome) : `${outcome}${behindText(candidate)}`,
    ];
  });
  const titles = names.map((name) => `>${wordsOf(name)}`);
  return textTable(['leg', 'prefill', 'decode', ...titles, '>cost', 'pulls from', ''], rows, paint);
}

function behindText(candidate: unknown): string {
  const lostBy = field(candidate, 'lostBy');
  if (lostBy === undefined || lostBy === null) return '';
  return ` by ${formatMs(amount(field(lostBy, 'behind')))}, most in ${wordsOf(text(field(lostBy, 'term')))}`;
}

function ineligibleLines(ineligible: readonly unknown[], paint: Paint): string[] {
  if (ineligible.length === 0) return [];
  const lines = ineligible.map(
    (one) =>
      `  ${printable(text(field(one, 'workerId')))}: ${printable(text(field(one, 'reason')))}`,
  );
  return ['', paint.dim('not weighed:'), ...lines];
}

/** `queueMs` as `queue`, `heldTokens` as `held tokens`. */
function wordsOf(name: string): string {
  return name.replace(/Ms$/, '').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function termText(name: string, value: unknown): string {
  if (typeof value !== 'number') return '';
  return name.endsWith('Ms') ? formatMs(value) : shortNumber(value);
}

function costText(cost: number, isTime: boolean): string {
  return isTime ? formatMs(cost) : shortNumber(cost);
}

function shortNumber(value: number): string {
  return String(Number(value.toPrecision(4)));
}

function amount(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
