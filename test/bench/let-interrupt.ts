/** Lets an interruption in between two pieces of work that hold the thread. @throws what it was interrupted by */
export async function letInterrupt(signal: AbortSignal): Promise<void> {
  await new Promise(setImmediate);
  signal.throwIfAborted();
}
