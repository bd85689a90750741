/**
 * Stands between Baton and a program that knows nothing of our IPC channel: starts it and ends it when the parent is
 * gone, however the parent died. `node guard-main.ts COMMAND ARGUMENT…`, started by `spawnGuarded`.
 */
import { spawn } from 'node:child_process';

const killAfterMs = 2000;
const [command, ...args] = process.argv.slice(2);
if (command === undefined || process.send === undefined) {
  console.error('guard: started without a command or without an IPC channel');
  process.exit(2);
}

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
  if (signal === null) process.exit(code ?? 0);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
process.on('disconnect', stop);
process.on('SIGTERM', stop);
process.on('SIGINT', () => {});
// The write end may be gone before the child is.
process.stdout.on('error', () => {});
process.stderr.on('error', () => {});
