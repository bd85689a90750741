import { baton } from '@baton/proto';

/** In ReserveReply.pages: the agent holds that segment already, so there is no page to fill. */
export const HELD_ALREADY = 0xffffffff;

/** Throws when the bytes are not a message of an engine; a message that carries nothing counts as none. */
export function decodeEngineMessage(payload: Uint8Array): baton.v1.EngineMessage {
  const message = baton.v1.EngineMessage.decode(payload);
  if (message.message === undefined) throw new Error('no known message inside');
  return message;
}

/** As {@link decodeEngineMessage}, for what an agent sends. */
export function decodeAgentMessage(payload: Uint8Array): baton.v1.AgentMessage {
  const message = baton.v1.AgentMessage.decode(payload);
  if (message.message === undefined) throw new Error('no known message inside');
  return message;
}

export function encodeEngineMessage(message: baton.v1.IEngineMessage): Uint8Array {
  return baton.v1.EngineMessage.encode(message).finish();
}

export function encodeAgentMessage(message: baton.v1.IAgentMessage): Uint8Array {
  return baton.v1.AgentMessage.encode(message).finish();
}
