import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const ANY_PORT = -1;
const POLL_MS = 10;

/** A real nats-server on a free port, for the tests of the agent. */
export class TestNats {
  readonly url: string;
  readonly #port: number;
  readonly #folder: string;
  #child: ChildProcess;

  private constructor(folder: string, child: ChildProcess, port: number) {
    this.#folder = folder;
    this.#child = child;
    this.#port = port;
    this.url = `nats://127.0.0.1:${port}`;
  }

  static async start(): Promise<TestNats> {
    const folder = mkdtempSync(path.join(tmpdir(), 'baton-agent-nats-'));
    const { child, port } = await launch(folder, ANY_PORT);
    return new TestNats(folder, child, port);
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
  }

  async restart(): Promise<void> {
    this.#child = (await launch(this.#folder, this.#port)).child;
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

async function launch(folder: string, port: number) {
  const program = process.env['BATON_NATS_SERVER'] ?? 'nats-server';
  const flags = ['-a', '127.0.0.1', '-p', String(port), '--ports_file_dir', folder];
  const child = spawn(program, flags, { stdio: 'ignore' });
  const portsFile = path.join(folder, `${path.basename(program)}_${child.pid}.ports`);
  for (;;) {
    // The file is there a moment before its content is.
    const text = existsSync(portsFile) ? readFileSync(portsFile, 'utf8') : '';
    if (text.trimEnd().endsWith('}')) {
      const { nats } = JSON.parse(text) as { nats: string[] };
      return { child, port: Number(new URL(nats[0] ?? '').port) };
    }
    if (child.exitCode !== null) throw new Error(`nats-server ended with ${child.exitCode}`);
    await sleep(POLL_MS);
  }
}
