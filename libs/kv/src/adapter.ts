/** A LoRA adapter: what is added to the weights of a base model. */
export interface Adapter {
  /** That clients use in `model`. */
  name: string;
  /** Which weights the name stands for: where the engine has them from. */
  revision: string;
}

/** As a root key has it, so that KV of another adapter, or of other weights under its name, has other keys. */
export function adapterIdentity({ name, revision }: Adapter): string {
  return JSON.stringify([name, revision]);
}

/** Both stand for the same weights. */
export function sameAdapter(a: Adapter, b: Adapter): boolean {
  return a.name === b.name && a.revision === b.revision;
}
