import { BatonError, rootKey, segmentKeys } from '@baton/kv';
import { field, list } from '../json-fields.ts';
import { formatCount } from '../render/quantities.ts';
import { printable, type Paint } from '../render/terminal-text.ts';
import { textTable } from '../render/text-table.ts';
import { chooseTokenizer, postBytes, tokenize, type Tokenizer } from './fleet-tokenizer.ts';
import { askConductor } from './index-target.ts';
import type { IndexOutput } from './index-view.ts';
import { readPrompt, type PromptForm, type ReadAs } from './prompt-file.ts';

const LOOKUP_MS = 10_000;

export interface LookupChoice extends ReadAs {
  /** Of several models in the fleet; a request may say it as well. */
  model: string | undefined;
}

/** What the fleet holds of a prompt. */
export interface Lookup {
  /** What the file was taken for. */
  form: PromptForm;
  promptTokens: number;
  segmentTokens: number;
  segments: number;
  knownSegments: number;
  tokenizedBy: string;
  workers: {
    workerId: string;
    rank: number;
    /** Tokens from the start on: in the engine's cache, there and then in DRAM, in any tier. */
    hbmTokens: number;
    memoryTokens: number;
    localTokens: number;
  }[];
  /** Who holds which tokens in which tier; `toToken` is exclusive. */
  runs: { workerId: string; rank: number; tier: string; fromToken: number; toToken: number }[];
}

/** `baton index lookup`: tokenizes a prompt with an engine of the fleet and asks the index who holds it. */
export async function runIndexLookup(
  url: string,
  file: string,
  choice: LookupChoice,
  { json, paint, print }: IndexOutput,
): Promise<void> {
  const { form, body, model, salt } = readPrompt(file, choice);
  if (choice.model !== undefined && model !== undefined && choice.model !== model) {
    const message = `--model is "${choice.model}", but the request in "${file}" is for "${model}".`;
    throw new BatonError('config_invalid', message);
  }
  const workers = await askConductor(url, '/workers');
  const tokenizer = chooseTokenizer(workers, choice.model ?? model);
  const tokens = await tokenize(tokenizer, body);
  const { tokenization, segmentTokens } = tokenizer;
  const keys = segmentKeys(rootKey({ tokenization, salt }), tokens, segmentTokens);
  const answer = await postBytes(
    `${url}/index/lookup`,
    keys.slice(),
    'application/octet-stream',
    LOOKUP_MS,
  );
  const lookup = { form, ...readLookup(answer, tokenizer, tokens.length) };
  if (json) return print(JSON.stringify(lookup, null, 2));
  for (const line of lookupLines(lookup, paint)) print(line);
}

export function lookupLines(lookup: Lookup, paint: Paint): string[] {
  const { promptTokens, segments, segmentTokens, tokenizedBy, workers, runs } = lookup;
  const prompt = `${formatCount(promptTokens)} tokens, ${formatCount(segments)} whole segments of ${segmentTokens}`;
  const head = `${prompt} (${lookup.form}, tokenized by ${printable(tokenizedBy)})`;
  if (workers.length === 0) return [head, ...whyNobody(lookup)];
  const counts = workers.map((worker) => [
    printable(worker.workerId),
    String(worker.rank),
    formatCount(worker.hbmTokens),
    formatCount(worker.memoryTokens),
    formatCount(worker.localTokens),
  ]);
  const held = runs.map((run) => [
    `${formatCount(run.fromToken)} to ${formatCount(run.toToken - 1)}`,
    printable(run.workerId),
    String(run.rank),
    printable(run.tier),
  ]);
  return [
    head,
    '',
    ...textTable(['worker', '>rank', '>in HBM', '>with DRAM', '>in any tier'], counts, paint),
    '',
    ...textTable(['tokens', 'held by', '>rank', 'in'], held, paint),
  ];
}

function whyNobody({ promptTokens, segmentTokens, form }: Lookup): string[] {
  if (promptTokens < segmentTokens) {
    const segment = `one segment (${segmentTokens} tokens)`;
    return [`The prompt is shorter than ${segment}, so nothing of it can be cached.`];
  }
  const hint = 'As the message of a chat this text would be other tokens: --chat.';
  return ['Nobody holds the beginning of this prompt.', ...(form === 'text' ? [hint] : [])];
}

function readLookup(
  answer: unknown,
  tokenizer: Tokenizer,
  promptTokens: number,
): Omit<Lookup, 'form'> {
  const { segmentTokens, workerId: tokenizedBy } = tokenizer;
  const count = (value: unknown, key: string): number => Number(field(value, key) ?? 0);
  const place = (value: unknown): { workerId: string; rank: number } => ({
    workerId: String(field(value, 'workerId') ?? ''),
    rank: count(value, 'rank'),
  });
  return {
    promptTokens,
    segmentTokens,
    segments: count(answer, 'segments'),
    knownSegments: count(answer, 'knownSegments'),
    tokenizedBy,
    workers: list(field(answer, 'ranks')).map((rank) => ({
      ...place(rank),
      hbmTokens: count(rank, 'hbmSegments') * segmentTokens,
      memoryTokens: count(rank, 'memorySegments') * segmentTokens,
      localTokens: count(rank, 'localSegments') * segmentTokens,
    })),
    runs: list(field(answer, 'runs'))
      .map((run) => ({
        ...place(run),
        tier: String(field(run, 'tier') ?? ''),
        fromToken: count(run, 'first') * segmentTokens,
        toToken: (count(run, 'first') + count(run, 'count')) * segmentTokens,
      }))
      .sort((a, b) => a.fromToken - b.fromToken || b.toToken - a.toToken),
  };
}
