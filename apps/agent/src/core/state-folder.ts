import path from 'node:path';

/** Where a worker's agent keeps what outlives it: in the configured folder, else where the user keeps such things. */
export function workerStateFolder(
  workerId: string,
  configured: string | undefined,
  env: { XDG_STATE_HOME?: string | undefined; HOME?: string | undefined },
): string | undefined {
  if (configured !== undefined) return path.join(configured, workerId);
  const home = env.HOME ? path.join(env.HOME, '.local', 'state') : undefined;
  // The specification says that a relative path is to be ignored.
  const isGiven = env.XDG_STATE_HOME !== undefined && path.isAbsolute(env.XDG_STATE_HOME);
  const base = isGiven ? env.XDG_STATE_HOME : home;
  return base === undefined ? undefined : path.join(base, 'baton', workerId);
}
