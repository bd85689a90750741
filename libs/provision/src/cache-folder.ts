import { homedir } from 'node:os';
import path from 'node:path';

export interface CacheFolderInputs {
  env?: NodeJS.ProcessEnv;
  platform?: NodeJS.Platform;
}

/**
 * Folder in which Baton keeps what it fetched or generated for this user; it need not exist yet.
 *
 * `XDG_CACHE_HOME/baton` where that variable is set (on every platform), else what the platform uses for caches.
 */
export function cacheFolder({
  env = process.env,
  platform = process.platform,
}: CacheFolderInputs = {}): string {
  const xdg = env['XDG_CACHE_HOME'];
  // The specification tells to ignore a relative path.
  if (xdg !== undefined && path.isAbsolute(xdg)) return path.join(xdg, 'baton');
  const home = env['HOME'] || homedir();
  if (platform === 'darwin') return path.join(home, 'Library', 'Caches', 'baton');
  if (platform === 'win32') {
    return path.join(env['LOCALAPPDATA'] ?? path.join(home, 'AppData', 'Local'), 'baton', 'Cache');
  }
  return path.join(home, '.cache', 'baton');
}
