import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { WheelPin } from '../fetch-wheel.ts';
import { storedZip } from './stored-zip.ts';

/** A machine in a folder: its own PATH, cache and package index, so that tests touch nothing of the real one. */
export class FakeMachine {
  readonly root = mkdtempSync(path.join(tmpdir(), 'baton-provision-'));
  readonly bin = path.join(this.root, 'bin');
  readonly cache = path.join(this.root, 'cache', 'baton');
  readonly lines: string[] = [];
  readonly env: NodeJS.ProcessEnv = {
    PATH: this.bin,
    XDG_CACHE_HOME: path.join(this.root, 'cache'),
  };

  constructor() {
    mkdirSync(this.bin);
  }

  log = (line: string): void => void this.lines.push(line);

  /** Puts a shell script on the machine's PATH, or at another place in it. */
  script(name: string, body: string, folder = this.bin): string {
    const file = path.join(folder, name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, `#!/bin/sh\nPATH=/usr/bin:/bin\n${body}\n`, { mode: 0o755 });
    return file;
  }

  /** A pip whose `download` runs `body`; "$dest" is the folder it must fill, "$calls" a file with a line a call. */
  pip(body: string, name = 'pip3'): void {
    this.script(
      name,
      `if [ "$1" = --version ]; then echo "pip 25.0 from here (python 3.12)"; exit 0; fi
calls="${this.root}/calls"
echo "$@" >> "$calls"
while [ $# -gt 1 ]; do [ "$1" = --dest ] && dest=$2; shift; done
${body}`,
    );
  }

  /** A wheel with one member, the pin that fits it, and where it lies. */
  wheel(member: string, body: Buffer): { pin: WheelPin; file: string } {
    const bytes = storedZip({ 'other/file.txt': Buffer.from('other'), [member]: body });
    const file = path.join(this.root, 'thing-1.0-py3-none-any.whl');
    writeFileSync(file, bytes);
    const pin: WheelPin = {
      package: 'thing',
      version: '1.0',
      sizeBytes: bytes.length,
      sha256: sha256(bytes),
      member,
      memberPin: { sizeBytes: body.length, sha256: sha256(body) },
    };
    return { pin, file };
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
