import { readFileSync } from 'node:fs';
import { coerce } from './coerce.ts';
import { ConfigError } from './config-error.ts';
import { nearest } from './nearest.ts';
import { isGroup, type ConfigOption, type SchemaNode } from './options.ts';

/** A value with the place it came from, for messages. */
export interface Given {
  value: unknown;
  source: string;
}
export type GivenByKey = Map<string, Given>;

export interface Flags {
  given: GivenByKey;
  help: boolean;
  printConfig: boolean;
  file: string | undefined;
}

const MAX_FILE_BYTES = 1024 * 1024;

/** Kubernetes puts `<SERVICE>_SERVICE_HOST`, `<SERVICE>_PORT=tcp://…` of every service into each pod. */
const SERVICE_LINK = /_SERVICE_(HOST|PORT(_\w+)?)$|_PORT_\d+_(TCP|UDP)(_\w+)?$/;

export function isServiceLink(name: string, value: string): boolean {
  return SERVICE_LINK.test(name) || value.startsWith('tcp://');
}

function unknownKey(what: string, name: string, known: readonly string[]): ConfigError {
  const near = nearest(name, known);
  return new ConfigError(`${what} is not known${near ? `; did you mean ${near}?` : ''}`, name);
}

function nextValue(argv: readonly string[], at: number, flag: string): string {
  const value = argv[at];
  if (value === undefined || value.startsWith('--')) throw new ConfigError(`${flag} needs a value`);
  return value;
}

/** `--key value`, `--key=value`, `--switch`, `--no-switch`; a list's flag is given once for each item. */
export function readFlags(argv: readonly string[], options: readonly ConfigOption[]): Flags {
  const byFlag = new Map(options.map((option) => [`--${option.flag}`, option]));
  const flags: Flags = { given: new Map(), help: false, printConfig: false, file: undefined };
  for (let at = 0; at < argv.length; at++) {
    const argument = argv[at] ?? '';
    if (!argument.startsWith('--')) {
      throw new ConfigError(`unexpected argument ${JSON.stringify(argument.slice(0, 80))}`);
    }
    const equals = argument.indexOf('=');
    const name = equals < 0 ? argument : argument.slice(0, equals);
    const inline = equals < 0 ? undefined : argument.slice(equals + 1);
    if (name === '--help') flags.help = true;
    else if (name === '--print-config') flags.printConfig = true;
    else if (name === '--config') flags.file = inline ?? nextValue(argv, ++at, name);
    else {
      const negated = byFlag.get(name.replace(/^--no-/, '--'));
      const option = byFlag.get(name) ?? (negated?.node.type === 'boolean' ? negated : undefined);
      if (!option) throw unknownKey(name, name, [...byFlag.keys()]);
      const given = (value: unknown): void =>
        void flags.given.set(option.key, { value, source: name });
      if (option.node.type === 'boolean' && inline === undefined) {
        given(option !== negated || byFlag.has(name));
        continue;
      }
      const text = inline ?? nextValue(argv, ++at, name);
      if (option.node.type !== 'array') {
        given(coerce(option, option.node, text, name));
        continue;
      }
      const before = flags.given.get(option.key)?.value;
      const item = coerce(option, option.node.items ?? {}, text, name);
      given(Array.isArray(before) ? [...before, item] : [item]);
    }
  }
  return flags;
}

/** Variables with the prefix; a list's items are separated by commas. An empty variable counts as unset. */
export function readEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  prefix: string,
  options: readonly ConfigOption[],
  shared: readonly string[],
): GivenByKey {
  const byEnv = new Map(options.map((option) => [option.env, option]));
  const given: GivenByKey = new Map();
  for (const [name, text] of Object.entries(env)) {
    if (!name.startsWith(prefix) || text === undefined || text === '') continue;
    const option = byEnv.get(name);
    if (!option) {
      if (isServiceLink(name, text) || shared.includes(name)) continue;
      throw unknownKey(`the environment variable ${name}`, name, [...byEnv.keys()]);
    }
    const value =
      option.node.type === 'array'
        ? text.split(',').map((item) => coerce(option, option.node.items ?? {}, item.trim(), name))
        : coerce(option, option.node, text, name);
    given.set(option.key, { value, source: name });
  }
  return given;
}

function collect(
  file: string,
  node: SchemaNode,
  value: unknown,
  path: readonly string[],
  given: GivenByKey,
): void {
  const key = path.join('.');
  if (!isGroup(node)) {
    given.set(key, { value, source: `${key} in ${file}` });
    return;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ConfigError(`${key || 'the content'} in ${file} must be an object`, key);
  }
  const known = Object.keys(node.properties ?? {});
  for (const [name, child] of Object.entries(value)) {
    const childNode = known.includes(name) ? node.properties?.[name] : undefined;
    if (!childNode) {
      const inGroup = (candidate: string): string => [...path, candidate].join('.');
      throw unknownKey(`${inGroup(name)} in ${file}`, inGroup(name), known.map(inGroup));
    }
    collect(file, childNode, child, [...path, name], given);
  }
}

/** A JSON file whose shape is the schema's. */
export function readFile(file: string, root: SchemaNode): GivenByKey {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const reason = code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`;
    throw new ConfigError(`the configuration file ${file} ${reason}`);
  }
  if (text.length > MAX_FILE_BYTES) {
    throw new ConfigError(`the configuration file ${file} is larger than ${MAX_FILE_BYTES} bytes`);
  }
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    throw new ConfigError(
      `the configuration file ${file} is not JSON: ${(error as Error).message}`,
    );
  }
  const given: GivenByKey = new Map();
  collect(file, root, content, [], given);
  return given;
}
