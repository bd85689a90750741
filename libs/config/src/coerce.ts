import { ConfigError } from './config-error.ts';
import { typeText, type ConfigOption, type SchemaNode } from './options.ts';

const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;
const TRUE = new Set(['true', '1', 'yes', 'on']);
const FALSE = new Set(['false', '0', 'no', 'off']);

function convert(node: SchemaNode, text: string): { value: unknown } | undefined {
  if (node.anyOf) {
    for (const branch of node.anyOf) {
      const converted = convert(branch, text);
      if (converted) return converted;
    }
    return undefined;
  }
  const choices = node.enum ?? (node.const === undefined ? undefined : [node.const]);
  if (choices) {
    const choice = choices.find((candidate) => String(candidate) === text);
    return choice === undefined ? undefined : { value: choice };
  }
  switch (node.type) {
    case 'string':
      return { value: text };
    case 'number':
    case 'integer':
      return NUMBER.test(text) ? { value: Number(text) } : undefined;
    case 'boolean':
      if (TRUE.has(text.toLowerCase())) return { value: true };
      return FALSE.has(text.toLowerCase()) ? { value: false } : undefined;
    case 'null':
      return text === 'null' ? { value: null } : undefined;
    default:
      try {
        return { value: JSON.parse(text) };
      } catch {
        return undefined;
      }
  }
}

/**
 * Text of a flag or of an environment variable as the option's type.
 *
 * @param source - how the text was given, for the message: `--port`, `BATON_PORT`
 * @throws ConfigError when the text is no such value
 */
export function coerce(
  option: ConfigOption,
  node: SchemaNode,
  text: string,
  source: string,
): unknown {
  const converted = convert(node, text);
  if (converted) return converted.value;
  const shown = option.secret ? 'the value given' : JSON.stringify(text.slice(0, 80));
  throw new ConfigError(`${source} must be ${typeText(node)}, ${shown} is not`, option.key);
}
