import { describe, expect, it } from 'vitest';
import { cacheFolder } from './cache-folder.ts';

describe('cacheFolder', () => {
  it.each([
    [{ XDG_CACHE_HOME: '/c', HOME: '/h' }, 'linux', '/c/baton'],
    [{ XDG_CACHE_HOME: 'relative', HOME: '/h' }, 'linux', '/h/.cache/baton'],
    [{ HOME: '/h' }, 'linux', '/h/.cache/baton'],
    [{ HOME: '/h' }, 'darwin', '/h/Library/Caches/baton'],
    [{ XDG_CACHE_HOME: '/c', HOME: '/h' }, 'darwin', '/c/baton'],
    [{ HOME: '/h', LOCALAPPDATA: '/l' }, 'win32', '/l/baton/Cache'],
  ] as const)('%o on %s is %s', (env, platform, expected) => {
    expect(cacheFolder({ env, platform })).toBe(expected);
  });
});
