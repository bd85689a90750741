import { setTimeout as sleep } from 'node:timers/promises';
import type { CommandOutput } from '../commands/explain-command.ts';
import { callConductor } from '../index/call-conductor.ts';
import { askConductor } from '../index/index-target.ts';
import { field, list } from '../json-fields.ts';
import { formatBytes, formatRate } from '../render/quantities.ts';
import { printable } from '../render/terminal-text.ts';
import { textTable } from '../render/text-table.ts';

const DRAIN_LOOK_MS = 500;
const NO_ENGINE = 'No engine without an agent. Those with one are in "npx baton status".';

export interface NewEngine {
  url: string;
  role: string;
  workerId: string | undefined;
  kvBytesPerToken: number | undefined;
  maxSequences: number | undefined;
  connector: string | undefined;
  bootstrapPort: number | undefined;
  apiKey?: string | undefined;
  ca?: string | undefined;
}

/** `baton worker list`: engines without an agent, and what is known of each. */
export async function listEngines(url: string, output: CommandOutput): Promise<void> {
  const { json, paint, print } = output;
  const answer = await askConductor(url, '/engines');
  const engines = list(field(answer, 'engines'));
  if (json) return print(JSON.stringify(engines, null, 2));
  const pods = podLines(field(answer, 'kubernetes'));
  if (engines.length === 0) {
    for (const line of [NO_ENGINE, ...pods]) print(line);
    return;
  }
  const text = (engine: unknown, name: string): string => printable(textAt(engine, name));
  const rows = engines.map((engine) => [
    text(engine, 'workerId'),
    text(engine, 'role'),
    `${text(engine, 'engine')} ${text(engine, 'version')}`.trim() || '–',
    text(engine, 'model') || '–',
    text(engine, 'index') || '–',
    field(engine, 'serves') === true ? 'yes' : printable(textAt(engine, 'problem') || 'not yet'),
  ]);
  const titles = ['worker', 'role', 'engine', 'model', 'index', 'serves'];
  const assumed = engines
    .filter((engine) => field(engine, 'blockTokensAssumed') === true)
    .map((engine) => `${text(engine, 'workerId')} has blocks of ${blocksOf(engine)}.`);
  for (const line of [...textTable(titles, rows, paint), ...assumed, ...pods]) print(line);
}

/** How the search for pods goes, and which of those that match get nothing; no line where none is looked for. */
export function podLines(kubernetes: unknown): string[] {
  const text = (object: unknown, name: string): string => printable(textAt(object, name));
  const state = text(kubernetes, 'state');
  if (state === '') return [];
  const problem = text(kubernetes, 'problem');
  const where = text(kubernetes, 'namespace') || 'unknown';
  return [
    `pods of namespace ${where}: ${state}${problem === '' ? '' : `, ${problem}`}`,
    ...list(field(kubernetes, 'unused')).map(
      (pod) => `  ${text(pod, 'pod')} gets nothing: ${text(pod, 'why')}`,
    ),
  ];
}

/** `baton worker add`. @throws BatonError config_invalid when the conductor refuses */
export async function addEngine(
  url: string,
  engine: NewEngine,
  output: CommandOutput,
): Promise<boolean> {
  const findings = await callConductor(`${url}/engines`, 'POST', engine);
  if (output.json) output.print(JSON.stringify(findings, null, 2));
  else {
    for (const line of findingLines(findings)) output.print(line);
    output.print(`worker     ${printable(textAt(findings, 'workerId'))}`);
  }
  return field(findings, 'serves') === true;
}

/**
 * `baton worker remove`: waits until nothing that runs needs the engine any more, unless it is to be gone now.
 *
 * @throws BatonError config_invalid when there is none of this id
 */
export async function removeEngine(
  url: string,
  workerId: string,
  isNow: boolean,
  { print }: CommandOutput,
): Promise<void> {
  const name = printable(workerId);
  await callConductor(
    `${url}/engines/${encodeURIComponent(workerId)}${isNow ? '?now=true' : ''}`,
    'DELETE',
  );
  for (let said: unknown; !isNow; await sleep(DRAIN_LOOK_MS)) {
    const engines = list(field(await askConductor(url, '/engines'), 'engines'));
    const engine = engines.find((one) => field(one, 'workerId') === workerId);
    if (engine === undefined) break;
    const count = field(engine, 'drainingFor');
    if (typeof count === 'number' && count > 0 && count !== said) {
      print(`${name} gets nothing new; ${count} request${count === 1 ? '' : 's'} still need it.`);
    }
    said = count;
  }
  print(`${name} is planned no more; the engine goes on.`);
}

/** What works with an engine now, and what would make it better. */
export function findingLines(findings: unknown): string[] {
  const text = (name: string): string => printable(textAt(findings, name));
  const row = (name: string, what: string): string => `${name.padEnd(11)}${what}`;
  if (field(findings, 'serves') !== true) {
    return [row('engine', text('url')), row('serves', `no: ${text('problem')}`)];
  }
  const connector = text('connector');
  const because = text('approximateBecause');
  const alone =
    field(findings, 'pairOnly') === true ? `, as ${text('role')} side; never a whole request` : '';
  const pair =
    connector === ''
      ? 'no: no connector moves its KV; it serves whole requests'
      : `yes, by ${connector}${alone}`;
  const chats = 'no: its /tokenize gives no tokens of a chat; it serves completions';
  return [
    row('engine', `${text('engine')} ${text('version')} at ${text('url')}`),
    row('model', text('model')),
    row('blocks', blocksOf(findings)),
    row('index', because === '' ? text('index') : `${text('index')}: ${because}`),
    row('pairs', pair),
    ...nixlLines(findings).map(([name, what]) => row(name, what)),
    ...(field(findings, 'takesChats') === false ? [row('chats', chats)] : []),
  ];
}

/** Of a check alone. */
function nixlLines(findings: unknown): [name: string, what: string][] {
  const lines: [string, string][] = [];
  const channel = field(findings, 'sideChannel');
  const problem = printable(textAt(channel, 'problem'));
  if (channel !== undefined) {
    const at = printable(`${textAt(channel, 'host')}:${textAt(channel, 'port')}`);
    const why = `, which decode workers need, cannot be reached from here (${problem}); set VLLM_NIXL_SIDE_CHANNEL_HOST and …_PORT`;
    lines.push(['NIXL at', problem === '' ? at : `${at}${why}`]);
  }
  const moved = field(findings, 'moved');
  const [transfers = 0, failed = 0, bytes = 0, seconds = 0] = [
    ...['transfers', 'failedTransfers', 'bytes', 'seconds'],
  ].map((name) => Number(field(moved, name)) || 0);
  if (moved !== undefined) {
    const rate = seconds > 0 ? `, ${formatRate(bytes / seconds)}` : '';
    const failures = failed > 0 ? `, ${failed} failed` : '';
    const sum = `${formatBytes(bytes)} read in ${transfers} transfers${rate}${failures}`;
    lines.push(['moved', transfers + failed === 0 ? 'nothing read yet' : sum]);
  }
  return lines;
}

/** vLLM's own default is taken for an engine that does not say it. */
function blocksOf(findings: unknown): string {
  const tokens = printable(textAt(findings, 'blockTokens')) || '16';
  if (field(findings, 'blockTokensAssumed') !== true) return `${tokens} tokens`;
  return `${tokens} tokens, which is assumed: its /metrics does not say`;
}

function textAt(object: unknown, name: string): string {
  const value = field(object, name);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
