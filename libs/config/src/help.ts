import { typeText, type ConfigOption } from './options.ts';

interface Described {
  name: string;
  description?: string;
}

const FIXED: readonly (readonly [string, string])[] = [
  ['--config FILE', 'read a JSON file; environment and flags override it'],
  ['--print-config', 'print the resulting configuration, secrets hidden, and exit'],
  ['--help', 'print this text and exit'],
];

function defaultText(option: ConfigOption): string {
  if (option.node.default === undefined) return '';
  return option.secret ? '<hidden>' : JSON.stringify(option.node.default);
}

/** Text of `--help`. */
export function helpText(program: Described, options: readonly ConfigOption[]): string {
  const rows = options.map((option) => {
    const value = option.node.type === 'boolean' ? '' : ` <${typeText(option.node)}>`;
    const fallback = defaultText(option);
    const notes = [fallback && `default ${fallback}`, option.env].filter(Boolean).join(', ');
    return [
      `--${option.flag}${value}`,
      `${option.node.description ?? ''} [${notes}]`.trim(),
    ] as const;
  });
  const lines = [...rows, ...FIXED].map(([flag, text]) => `  ${flag}\n      ${text}`);
  const head = program.description ? `${program.name}: ${program.description}` : program.name;
  return `${head}\n\nOptions:\n${lines.join('\n')}\n`;
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

/** A Markdown table, its header first, padded so that a formatter leaves it as it is. */
export function markdownTable(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((text, column) => text.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [header = [], ...body] = rows;
  return [line(header), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)];
}

/** Section of the reference page: a table of every key of one process. */
export function configReference(program: Described, options: readonly ConfigOption[]): string {
  const rows = options.map((option) => {
    const fallback = defaultText(option);
    return [
      `\`${option.key}\``,
      cell(typeText(option.node)),
      fallback && `\`${cell(fallback)}\``,
      `\`--${option.flag}\` \`${option.env}\``,
      cell(`${option.node.description ?? ''}${option.secret ? ' (secret)' : ''}`),
    ];
  });
  const header = ['Key', 'Type', 'Default', 'Set by', 'Meaning'];
  const head = program.description ? [program.description, ''] : [];
  return [`## ${program.name}`, '', ...head, ...markdownTable([header, ...rows]), ''].join('\n');
}
