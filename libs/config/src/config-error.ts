/** A configuration that cannot be used; `message` is one sentence that names the key and its source. */
export class ConfigError extends Error {
  readonly code = 'config_invalid';
  /** Dotted path of the key, when the fault belongs to one. */
  readonly key: string | undefined;

  constructor(message: string, key?: string) {
    super(message);
    this.name = 'ConfigError';
    this.key = key;
  }
}
