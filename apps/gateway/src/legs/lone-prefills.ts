/** Of one engine. */
const MAX_LONE = 128;

/**
 * Prefills that go on although nobody waits for their answer. Each has a connection and work of the engine that no
 * booking stands for any more, so that an engine which does not end them must not gather them.
 */
export class LonePrefills {
  readonly #open = new Map<string, number>();

  /** True when this one may go on until it has ended; false when there are enough of them at the engine. */
  admit(engineUrl: string, ended: Promise<void>): boolean {
    const open = this.#open.get(engineUrl) ?? 0;
    if (open >= MAX_LONE) return false;
    this.#open.set(engineUrl, open + 1);
    void ended.then(() => this.#end(engineUrl));
    return true;
  }

  #end(engineUrl: string): void {
    const left = (this.#open.get(engineUrl) ?? 0) - 1;
    if (left > 0) this.#open.set(engineUrl, left);
    else this.#open.delete(engineUrl);
  }
}
