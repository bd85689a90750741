import { execFile } from 'node:child_process';
import path from 'node:path';

/** What `npx baton` starts, on the Node of the tests. */
export const batonBin = path.resolve(import.meta.dirname, '../../bin/baton.js');

export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a command of the CLI to its end. */
export function runBaton(args: readonly string[], env?: NodeJS.ProcessEnv): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(process.execPath, [batonBin, ...args], { env }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr });
    });
  });
}
