import { BatonError } from '@baton/kv';
import { liveRuns, type RunRecord } from '../up/run-file.ts';

const requestTimeoutMs = 5_000;
const maxAnswerBytes = 64 * 1024 * 1024;

/** The newest running `npm start` of this clone, or the one whose gateway has this port. */
export function findRun(port: number | undefined, runs = liveRuns()): RunRecord {
  const ready = runs.filter((run) => run.phase === 'ready');
  if (port !== undefined) {
    const chosen = runs.find((run) => run.port === port);
    if (chosen !== undefined) return chosen;
    const others = ready.map((run) => run.port).join(', ');
    throw new BatonError(
      'config_invalid',
      `No "npm start" or "baton serve" of this clone runs on port ${port}${others === '' ? '' : ` (there is one on ${others})`}.`,
    );
  }
  const newest = ready[0];
  if (newest !== undefined) return newest;
  throw new BatonError(
    'config_invalid',
    runs.length > 0
      ? 'What was started in this clone is still starting: try again when it has printed its block.'
      : 'No "npm start" or "baton serve" of this clone is running: start it in another terminal first.',
  );
}

/** GET of a JSON document from one of our own processes. */
export async function getJson(url: string, signal?: AbortSignal): Promise<unknown> {
  const timeout = AbortSignal.timeout(requestTimeoutMs);
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, { signal: signal ? AbortSignal.any([signal, timeout]) : timeout });
    text = await response.text();
  } catch (error) {
    throw new BatonError('child_failed', `${url} does not answer.`, { cause: error });
  }
  if (text.length > maxAnswerBytes)
    throw new BatonError('child_failed', `${url} answers too much.`);
  if (!response.ok) {
    const details = { status: response.status };
    throw new BatonError('child_failed', `${url} answered ${response.status}.`, { details });
  }
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new BatonError('child_failed', `${url} answered what is no JSON.`, { cause: error });
  }
}
