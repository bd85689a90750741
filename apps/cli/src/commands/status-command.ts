import { BatonError } from '@baton/kv';
import { formatMs } from '../render/quantities.ts';
import { printable, type Paint } from '../render/terminal-text.ts';
import { readFleet, withGone, type WorkerView } from '../top/fleet-view.ts';
import { liveRuns, type RunRecord } from '../up/run-file.ts';
import { getJson } from './running.ts';

export interface StatusOptions {
  port: number | undefined;
  json: boolean;
  paint: Paint;
  print: (line: string) => void;
}

interface RunStatus {
  run: RunRecord;
  workers: WorkerView[];
  /** Why the conductor could not be asked. */
  trouble: string | undefined;
}

/** `baton status`: every running `npm start` of this clone. The exit code is 1 when none can serve. */
export async function runStatus(options: StatusOptions): Promise<number> {
  const runs = liveRuns().filter((run) => options.port === undefined || run.port === options.port);
  const statuses = await Promise.all(runs.map(statusOf));
  if (options.json) options.print(JSON.stringify(statuses, null, 2));
  else for (const line of statusLines(statuses, options.paint, Date.now())) options.print(line);
  return statuses.some(canServe) ? 0 : 1;
}

async function statusOf(run: RunRecord): Promise<RunStatus> {
  if (run.conductorUrl === undefined) return { run, workers: [], trouble: undefined };
  try {
    const fleet = readFleet(await getJson(`${run.conductorUrl}/workers`), {});
    return { run, workers: withGone(fleet, run.workers ?? []).workers, trouble: undefined };
  } catch (error) {
    if (!(error instanceof BatonError)) throw error;
    return { run, workers: [], trouble: error.message };
  }
}

function canServe({ workers }: RunStatus): boolean {
  return workers.some(({ state, role }) => state === 'ready' && role !== 'prefill');
}

function statusLines(statuses: readonly RunStatus[], paint: Paint, nowMs: number): string[] {
  if (statuses.length === 0) return ['No "npm start" or "baton serve" of this clone is running.'];
  return statuses.flatMap(({ run, workers, trouble }) => {
    const age = formatMs(Math.max(0, nowMs - run.startedAtMs));
    const phase = run.phase === 'ready' ? paint.green('ready') : paint.yellow('starting');
    return [
      `${paint.bold(run.gatewayUrl)}  ${phase}  process ${run.pid}  for ${age}`,
      ...(run.conductorUrl === undefined ? [] : [`  conductor ${run.conductorUrl}`]),
      ...(trouble === undefined ? [] : [paint.red(`  ${printable(trouble)}`)]),
      ...workers.map(({ id, role, state, reason }) => {
        const colour = state === 'ready' ? paint.green : paint.yellow;
        const why = reason === '' ? '' : `  ${printable(reason)}`;
        return `  ${printable(id).padEnd(16)} ${printable(role).padEnd(8)} ${colour(printable(state))}${why}`;
      }),
    ];
  });
}
