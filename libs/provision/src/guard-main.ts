/**
 * Stands between Baton and a program that knows nothing of our IPC channel: starts it and ends it when the parent is
 * gone, however the parent died. `node guard-main.ts FOLDER COMMAND ARGUMENT…`, started by `spawnGuarded`; FOLDER is
 * removed when the parent was gone first, and empty for none.
 */
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';

const killAfterMs = 2000;
/** Others that use the folder are ending too: Baton's own services have less than this to do so. */
const removeAfterMs = 3000;
const [folder = '', command, ...args] = process.argv.slice(2);
if (command === undefined || !process.connected) {
  console.error('guard: started without a command, or the parent is gone already');
  process.exit(2);
}

let parentGoneMs: number | undefined;

// Before the command is there: a signal that finds no listener would end the guard alone.
process.on('SIGTERM', stop);
process.on('SIGINT', () => {});
process.on('disconnect', () => {
  parentGoneMs = performance.now();
  stop();
});

const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'], windowsHide: true });

function stop(): void {
  child.kill('SIGTERM');
  setTimeout(() => child.kill('SIGKILL'), killAfterMs).unref();
}

child.on('spawn', () => process.send?.({ type: 'spawned', pid: child.pid }));
child.on('error', (error) => {
  console.error(`${command}: ${error.message}`);
  process.exit(127);
});
child.on('exit', (code, signal) => {
  if (parentGoneMs !== undefined && folder !== '') {
    const sinceMs = performance.now() - parentGoneMs;
    setTimeout(() => {
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
      process.exit(code ?? 0);
    }, removeAfterMs - sinceMs);
    return;
  }
  if (signal === null) process.exit(code ?? 0);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
// The write end may be gone before the child is.
process.stdout.on('error', () => {});
process.stderr.on('error', () => {});
