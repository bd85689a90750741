import { BatonError } from '@baton/kv';
import { field, isObject, list } from '../json-fields.ts';
import { costFileSchema, type CostFile } from './cost-file.ts';

/** Terms of a decode step, as a cost file has them. */
export type DecodeCost = CostFile['decode'];

export interface LearnedChoice {
  /** `MODEL ENGINE` as the conductor names it; undefined where there is only one. */
  kind: string | undefined;
  /** Used instead of what was learned. */
  decode: DecodeCost | undefined;
  /** Undefined for the default. */
  chunkTokens: number | undefined;
}

export interface LearnedCostFile {
  cost: CostFile;
  /** How well each part is known, for a person. */
  notes: string[];
}

/**
 * A cost file from what a conductor has learned of one kind of workers.
 *
 * @param policies answer of `GET /policies`
 * @param workers answer of `GET /workers`
 * @throws BatonError config_invalid that says what is not known yet, or which kinds there are
 */
export function learnedCostFile(
  policies: unknown,
  workers: unknown,
  choice: LearnedChoice,
): LearnedCostFile {
  const learned = kindOf(list(field(policies, 'prefillCosts')), choice.kind);
  const kind = String(field(learned, 'kind'));
  const own = list(field(workers, 'workers')).filter(
    (worker) => `${String(field(worker, 'model'))} ${String(field(worker, 'engine'))}` === kind,
  );
  const [first] = own;
  if (first === undefined) throw unknown('--kind', `no worker of "${kind}" is there any more.`);
  const decode = decodeOf(policies, own, kind, choice.decode);
  const prefill = field(learned, 'cost');
  if (['perTokenMs', 'perPairMs'].every((term) => field(prefill, term) === 0)) {
    throw unknown(
      'prefill',
      `times of "${kind}" do not grow with the prompt, as far as is learned: send prompts of more different lengths, or write the file by hand.`,
    );
  }
  const tellsFirst = own.every(
    (worker) => field(field(worker, 'capabilities'), 'firstTokenFromPrefill') === true,
  );
  const cost = costFileSchema.safeParse({
    name: kind,
    kvBytesPerToken: field(field(first, 'layout'), 'bytesPerToken'),
    chunkTokens: choice.chunkTokens,
    firstToken: tellsFirst ? 'prefill' : 'decode',
    prefill,
    decode: decode.cost,
  });
  if (!cost.success) {
    const [issue] = cost.error.issues;
    throw unknown(issue?.path.join('.') ?? '', `of "${kind}" is not usable: ${issue?.message}.`);
  }
  return { cost: cost.data, notes: [`prefill: ${basisOf(learned)}`, `decode: ${decode.note}`] };
}

function kindOf(known: readonly unknown[], wanted: string | undefined): unknown {
  if (known.length === 0) {
    throw unknown('prefill', 'times are not learned yet: send some prompts of different lengths.');
  }
  const names = known.map((one) => String(field(one, 'kind')));
  if (wanted === undefined && known.length === 1) return known[0];
  const at = names.indexOf(wanted ?? '');
  if (at >= 0) return known[at];
  const all = names.map((name) => `"${name}"`).join(', ');
  throw unknown('--kind', `must be one of ${all}.`);
}

/** Given, learned, or guessed from what a worker decodes at the moment. */
function decodeOf(
  policies: unknown,
  workers: readonly unknown[],
  kind: string,
  given: DecodeCost | undefined,
): { cost: unknown; note: string } {
  if (given !== undefined) return { cost: given, note: 'as given by --decode' };
  const learned = list(field(policies, 'decodeCosts')).find((one) => field(one, 'kind') === kind);
  if (learned !== undefined) return { cost: field(learned, 'cost'), note: basisOf(learned) };
  const stepsMs = workers
    .flatMap((worker) => list(field(worker, 'loads')))
    .flatMap((load) => stepMs(load) ?? []);
  if (stepsMs.length === 0) {
    throw unknown(
      'decode',
      'steps are not learned: give --decode FIXED,PER_SEQUENCE,PER_KV_TOKEN.',
    );
  }
  const fixedMs = Number(
    (stepsMs.reduce((sum, ms) => sum + ms, 0) / stepsMs.length).toPrecision(3),
  );
  return {
    cost: { fixedMs, perSequenceMs: 0, perKvTokenMs: 0 },
    note: `a guess: ${fixedMs} ms a step, from the tokens per second that workers tell, whatever the batch; --decode for better`,
  };
}

/** A worker that decodes n sequences gives n tokens in each step; undefined while it has given none. */
function stepMs(load: unknown): number | undefined {
  const [rate, sequences] = ['decodeTokensPerSec', 'runningSequences'].map((name) =>
    Number(isObject(load) ? load[name] : 0),
  );
  if (rate === undefined || sequences === undefined || !(rate > 0)) return undefined;
  return (1_000 * Math.max(1, sequences)) / rate;
}

function basisOf(learned: unknown): string {
  const observations = Number(field(learned, 'observations'));
  const errorShare = Number(field(learned, 'errorShare'));
  return `learned from ${observations} observations, ${(errorShare * 100).toFixed(0)} % off on average`;
}

function unknown(where: string, what: string): BatonError {
  return new BatonError('config_invalid', `${where} ${what}`, { details: { field: where } });
}
