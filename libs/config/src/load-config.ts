import type { z } from 'zod';
import { ConfigError } from './config-error.ts';
import { helpText } from './help.ts';
import { isGroup, optionsOf, rootNode, type ConfigOption, type SchemaNode } from './options.ts';
import { isServiceLink, readEnvironment, readFile, readFlags, type GivenByKey } from './sources.ts';

/** Variables that some part of Baton reads by itself; no process refuses them as unknown. */
export const sharedEnvironment: readonly string[] = [
  'BATON_CACHE_DIR',
  'BATON_LOG_LEVEL',
  'BATON_NATS_SERVER',
  'BATON_STATE_DIR',
  'BATON_TRACE_ENDPOINT',
];

export interface ConfigSource<S extends z.ZodObject> {
  /** Name of the program, for `--help`. */
  name: string;
  /** One sentence for `--help`. */
  description?: string;
  schema: S;
  /** Arguments without node and script. Default `process.argv.slice(2)`. */
  argv?: readonly string[];
  /** Default `process.env`. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Default `BATON_`. */
  envPrefix?: string;
}

/** What the arguments ask for: a configuration to run with, or a text to print. */
export type ResolvedConfig<T> = { kind: 'config'; config: T } | { kind: 'print'; text: string };

type Tree = Record<string, unknown>;

const HIDDEN = '<hidden>';
const DEFAULT_PREFIX = 'BATON_';

function valueAt(tree: Tree, path: readonly string[]): unknown {
  let at: unknown = tree;
  for (const name of path) at = (at as Tree | undefined)?.[name];
  return at;
}

function assign(tree: Tree, path: readonly string[], value: unknown): void {
  let at = tree;
  for (const name of path.slice(0, -1)) at = (at[name] ??= {}) as Tree;
  at[path.at(-1) ?? ''] = value;
}

/** Groups that must be there, empty, so that the defaults inside them apply. */
function emptyGroups(node: SchemaNode): Tree {
  const tree: Tree = {};
  for (const name of node.required ?? []) {
    const child = node.properties?.[name];
    if (child && isGroup(child)) tree[name] = emptyGroups(child);
  }
  return tree;
}

function validate<S extends z.ZodObject>(
  schema: S,
  input: Tree,
  given: GivenByKey,
  options: readonly ConfigOption[],
): z.output<S> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const problems = result.error.issues.map((issue) => {
    const key = issue.path.join('.');
    const option = options.find((o) => key === o.key || key.startsWith(`${o.key}.`));
    const source = option && given.get(option.key)?.source;
    // A rule over several keys names one of them, which may have its default.
    const isMissing = option !== undefined && !source && issue.code !== 'custom';
    if (isMissing) return `${key} is required: set --${option.flag} or ${option.env}`;
    return `${source ?? (key || 'the configuration')}: ${issue.message}`;
  });
  throw new ConfigError(problems.join('; '), result.error.issues[0]?.path.join('.'));
}

function printed(config: Tree, options: readonly ConfigOption[]): string {
  const shown: Tree = {};
  for (const option of options) {
    const value = valueAt(config, option.path);
    if (value === undefined) continue;
    assign(shown, option.path, option.secret ? HIDDEN : value);
  }
  return `${JSON.stringify(shown, null, 2)}\n`;
}

/**
 * Puts the configuration together: defaults of the schema < `--config FILE` < environment < flags.
 *
 * @throws ConfigError for unknown keys (naming the nearest known one), wrong values, a bad file
 */
export function resolveConfig<S extends z.ZodObject>(
  source: ConfigSource<S>,
): ResolvedConfig<z.output<S>> {
  const { schema, argv = process.argv.slice(2), env = process.env } = source;
  const prefix = source.envPrefix ?? DEFAULT_PREFIX;
  const options = optionsOf(schema, prefix);
  const flags = readFlags(argv, options);
  if (flags.help) return { kind: 'print', text: helpText(source, options) };

  const root = rootNode(schema);
  const given: GivenByKey = new Map([
    ...(flags.file === undefined ? [] : readFile(flags.file, root)),
    ...readEnvironment(env, prefix, options, sharedEnvironment),
    ...flags.given,
  ]);
  const input = emptyGroups(root);
  for (const option of options) {
    const entry = given.get(option.key);
    if (entry) assign(input, option.path, entry.value);
  }
  const config = validate(schema, input, given, options);
  if (flags.printConfig) return { kind: 'print', text: printed(config as Tree, options) };
  return { kind: 'config', config };
}

/**
 * {@link resolveConfig} for a process's main file: `--help` and `--print-config` print and exit 0.
 *
 * @throws ConfigError as {@link resolveConfig}
 */
export function loadConfig<S extends z.ZodObject>(source: ConfigSource<S>): z.output<S> {
  const resolved = resolveConfig(source);
  if (resolved.kind === 'config') return resolved.config;
  process.stdout.write(resolved.text);
  return process.exit(0);
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The environment for a child that is configured by flags: shared variables stay, other `BATON_…` go. */
export function environmentForChild(
  env: Environment = process.env,
  envPrefix = DEFAULT_PREFIX,
): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !isKeptFromChild(name, envPrefix)) kept[name] = value;
  }
  return kept;
}

/** Names of what {@link environmentForChild} leaves out and somebody may have set on purpose, sorted. */
export function keptFromChild(
  env: Environment = process.env,
  envPrefix = DEFAULT_PREFIX,
): string[] {
  return Object.entries(env)
    .filter(([name, value = '']) => value !== '' && !isServiceLink(name, value))
    .map(([name]) => name)
    .filter((name) => isKeptFromChild(name, envPrefix))
    .sort();
}

function isKeptFromChild(name: string, envPrefix: string): boolean {
  return name.startsWith(envPrefix) && !sharedEnvironment.includes(name);
}
