import { getSystemErrorMessage } from 'node:util';
import koffi from 'koffi';

const PROT_READ_WRITE = 3;
const MAP_SHARED = 1;
const LOCK_EXCLUSIVE_NO_WAIT = 2 | 4;
/** MAP_FAILED, (void *)-1. */
const MAP_FAILED = 0xffff_ffff_ffff_ffffn;

const libc = koffi.load(null);
const mmap = libc.func(
  'void *mmap(void *addr, size_t length, int prot, int flags, int fd, int64_t offset)',
);
const munmap = libc.func('int munmap(void *addr, size_t length)');
const flock = libc.func('int flock(int fd, int operation)');

export interface Mapping {
  /** Length 0 once the mapping is gone. */
  readonly bytes: Uint8Array;
  /** Nothing may be reading or writing the memory any more: the operating system takes it away. */
  unmap(): void;
}

/** Maps a whole file, shared with everybody who maps it too. */
export function mapFile(fd: number, sizeBytes: number): Mapping {
  const address: unknown = mmap(null, sizeBytes, PROT_READ_WRITE, MAP_SHARED, fd, 0);
  if (address === null || address === MAP_FAILED) {
    throw new Error(`mmap: ${getSystemErrorMessage(-koffi.errno())}`);
  }
  const buffer = koffi.view(address, sizeBytes);
  return {
    bytes: new Uint8Array(buffer),
    unmap() {
      if (buffer.byteLength === 0) return;
      // Detached first: a view that somebody still has is then empty instead of pointing at memory that is gone.
      buffer.transfer();
      munmap(address, sizeBytes);
    },
  };
}

/**
 * Takes the memory of a file now, so that a full file system is an error here and not a bus error at the first write.
 * Where posix_fallocate does not exist (macOS) nothing is taken ahead.
 */
export function reserveFileSpace(fd: number, sizeBytes: number): void {
  if (process.platform !== 'linux') return;
  const allocate = libc.func('int posix_fallocate(int fd, int64_t offset, int64_t length)');
  const code = Number(allocate(fd, 0, sizeBytes));
  if (code !== 0) throw new Error(getSystemErrorMessage(-code));
}

/** Locks a file for as long as it is open; false when another process has it. */
export function lockFile(fd: number): boolean {
  return flock(fd, LOCK_EXCLUSIVE_NO_WAIT) === 0;
}
