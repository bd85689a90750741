import type { Command } from 'commander';
import { httpUrl } from '../index/index-target.ts';
import { maxPort } from '../up/ports.ts';
import { wholeNumber } from '../up/up-options.ts';

/** Which of those that run on this machine a command is about. */
export interface RunFlags {
  port?: number;
}

/** Which conductor a command is about. */
export interface ConductorFlags extends RunFlags {
  conductor?: string;
}

/** Adds the flag that says which run a command is about. */
export function ofRun(command: Command): Command {
  return command.option(
    '--port <port>',
    'of which "npm start" or "baton serve", by the port of its OpenAI API',
    wholeNumber('--port', 1, maxPort),
  );
}

/** Adds the flags that say which conductor a command is about. */
export function ofConductor(command: Command): Command {
  return ofRun(command).option('--conductor <url>', 'admin API of another conductor', httpUrl);
}
