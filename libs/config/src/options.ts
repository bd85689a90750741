import { z } from 'zod';

/** The part of JSON Schema that zod writes and that this library reads. */
export interface SchemaNode {
  type?: string;
  properties?: Record<string, SchemaNode>;
  required?: string[];
  items?: SchemaNode;
  anyOf?: SchemaNode[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  description?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  secret?: boolean;
}

/** One key that can be set: a leaf of the schema. */
export interface ConfigOption {
  /** Dotted path in a configuration file, e.g. `transfer.streams`. */
  key: string;
  path: readonly string[];
  /** Without dashes, e.g. `transfer-streams`. */
  flag: string;
  /** E.g. `BATON_TRANSFER_STREAMS`. */
  env: string;
  node: SchemaNode;
  secret: boolean;
}

const kebab = (name: string): string =>
  name.replace(/[A-Z]/g, (letter, at: number) => `${at > 0 ? '-' : ''}${letter.toLowerCase()}`);

/** Objects with declared properties are groups of options; everything else is one option. */
export function isGroup(node: SchemaNode): boolean {
  return node.type === 'object' && node.properties !== undefined;
}

export function rootNode(schema: z.ZodObject): SchemaNode {
  const options = { io: 'input', unrepresentable: 'any', reused: 'inline' } as const;
  return z.toJSONSchema(schema, options) as SchemaNode;
}

/** Every key of the schema, in the order of declaration. */
export function optionsOf(schema: z.ZodObject, envPrefix: string): ConfigOption[] {
  const found: ConfigOption[] = [];
  const walk = (node: SchemaNode, path: readonly string[]): void => {
    for (const [name, child] of Object.entries(node.properties ?? {})) {
      const childPath = [...path, name];
      if (isGroup(child)) {
        walk(child, childPath);
        continue;
      }
      const flag = childPath.map(kebab).join('-');
      found.push({
        key: childPath.join('.'),
        path: childPath,
        flag,
        env: envPrefix + flag.replaceAll('-', '_').toUpperCase(),
        node: child,
        secret: child.secret === true,
      });
    }
  };
  walk(rootNode(schema), []);
  return found;
}

/** For people: `integer ≥ 1`, `prefill | decode | both`, `string, repeatable`. */
export function typeText(node: SchemaNode): string {
  if (node.enum) return node.enum.map(String).join(' | ');
  if (node.const !== undefined) return String(node.const);
  if (node.anyOf) return node.anyOf.map(typeText).join(' or ');
  if (node.type === 'array') return `${typeText(node.items ?? {})}, repeatable`;
  if (node.type === 'object') return 'JSON object';
  const bounds: string[] = [];
  if (node.minimum !== undefined && node.minimum > Number.MIN_SAFE_INTEGER) {
    bounds.push(`≥ ${node.minimum}`);
  }
  if (node.exclusiveMinimum !== undefined) bounds.push(`> ${node.exclusiveMinimum}`);
  if (node.maximum !== undefined && node.maximum < Number.MAX_SAFE_INTEGER) {
    bounds.push(`≤ ${node.maximum}`);
  }
  return [node.type ?? 'JSON value', ...bounds].join(' ');
}
