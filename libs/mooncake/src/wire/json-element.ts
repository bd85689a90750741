/** Bytes that are looked at to say what an element is. */
const SHOWN_BYTES = 64;

export type ElementKind =
  | 'integer'
  | 'fraction'
  | 'text'
  | 'array'
  | 'object'
  | 'boolean'
  | 'null'
  /** Nothing at all before the next comma or the end. */
  | 'nothing'
  /** No JSON. */
  | 'broken';

/** What is written at `at`, for a list that could not take it. */
export function elementAt(bytes: Uint8Array, at: number): { kind: ElementKind; text: string } {
  const shown = String.fromCharCode(...bytes.subarray(at, at + SHOWN_BYTES));
  const text = /^[^\s,\]}]*/.exec(shown)?.[0] ?? '';
  return { kind: kindOfElement(text), text };
}

function kindOfElement(text: string): ElementKind {
  if (text === '') return 'nothing';
  if (text.startsWith('"')) return 'text';
  if (text.startsWith('[')) return 'array';
  if (text.startsWith('{')) return 'object';
  if (text === 'null') return 'null';
  if (text === 'true' || text === 'false') return 'boolean';
  if (isInteger(text)) return 'integer';
  const isNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text);
  return isNumber ? 'fraction' : 'broken';
}

/** Digits as JSON writes a whole number. */
export function isInteger(text: string): boolean {
  return /^-?(?:0|[1-9]\d*)$/.test(text);
}

/** How a sentence names it. */
export function elementText(kind: ElementKind, text: string): string {
  switch (kind) {
    case 'array':
    case 'object':
      return `an ${kind}`;
    case 'boolean':
      return 'a boolean';
    case 'fraction':
      return text;
    default:
      return kind;
  }
}
