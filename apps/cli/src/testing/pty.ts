import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually } from '@baton/test-kit';
import { shellQuoted } from '../up/demo-request.ts';

const patienceMs = 45_000;

/**
 * True where util-linux's `script` is there, which runs a command on a pseudo-terminal; and where nothing may be skipped,
 * so that its absence shows.
 */
export const hasPty =
  process.env['REQUIRE_OPTIONAL_PARTS'] === '1' || spawnSync('script', ['--version']).status === 0;

/** A command on a terminal of its own. */
export class Pty {
  readonly process: ChildProcess;
  output = '';
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'baton-pty-'));

  constructor(command: readonly string[], env: NodeJS.ProcessEnv, columns: number, rows: number) {
    // A shell beside the command sets the size, which only those can who run on the terminal, and ends it with the test.
    const size = `"${this.#folder}/size"`;
    const watch = `[ -e ${size} ] && . ${size}; kill -0 ${process.pid} || kill -9 $$; sleep 0.05`;
    const beside = `while kill -0 $$; do ${watch}; done 2> /dev/null`;
    const line = `stty cols ${columns} rows ${rows}; (${beside}) & exec ${command.map(shellQuoted).join(' ')}`;
    this.process = spawn('script', ['-qfec', line, '/dev/null'], {
      env: { ...env, TERM: 'xterm' },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.process.stdout?.setEncoding('utf8').on('data', (text: string) => (this.output += text));
  }

  /** Once. */
  resize(columns: number, rows: number): void {
    writeFileSync(path.join(this.#folder, 'size'), `stty cols ${columns} rows ${rows} < /dev/tty`);
  }

  type(keys: string): void {
    this.process.stdin?.write(keys);
  }

  /** Waits until what was written since `from` has this text. */
  async shows(text: string, from = 0): Promise<void> {
    await eventually(() => {
      const shown = this.output.slice(from);
      if (!shown.includes(text)) throw new Error(`no "${text}" in ${JSON.stringify(shown)}`);
    }, patienceMs);
  }

  async exits(): Promise<number | null> {
    if (this.process.exitCode === null) await once(this.process, 'close');
    rmSync(this.#folder, { recursive: true, force: true });
    return this.process.exitCode;
  }
}
