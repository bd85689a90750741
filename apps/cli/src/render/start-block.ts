import { countedWorkers } from '../up/fleet-plan.ts';
import { formatCount, formatMs } from './quantities.ts';
import { printable, type Paint } from './terminal-text.ts';

export interface StartBlock {
  readyAfterMs: number;
  prefill: number;
  decode: number;
  model: string;
  gatewayUrl: string;
  conductorUrl: string;
  natsUrl: string;
  /** A whole command line, ready to paste. */
  curl: string;
  promptTokens: number | undefined;
  segmentTokens: number;
  /** Where requests are recorded. */
  recordFile: string | undefined;
  /** Sentences about what is not as one might expect: another port, a generated model. */
  remarks: readonly string[];
}

/** What `npm start` prints once everything is ready. */
export function startBlock(block: StartBlock, paint: Paint): string[] {
  const { promptTokens, segmentTokens } = block;
  const workers = countedWorkers(block);
  const size =
    promptTokens === undefined
      ? ''
      : ` (its prompt: ${formatCount(promptTokens)} tokens, ${Math.floor(promptTokens / segmentTokens)} whole segments of KV)`;
  const { recordFile } = block;
  const row = (name: string, text: string): string => `  ${name.padEnd(23)}${text}`;
  return [
    '',
    paint.bold(
      `Baton is ready after ${formatMs(block.readyAfterMs)}: ${workers} serve ${printable(block.model)}`,
    ),
    ...block.remarks.map((remark) => paint.yellow(remark)),
    '',
    row('OpenAI API', `${block.gatewayUrl}/v1`),
    row('conductor', `${block.conductorUrl}  (/workers /plans /index /metrics)`),
    row('NATS', block.natsUrl),
    ...(recordFile === undefined
      ? []
      : [row('request log', `${printable(recordFile)}  (no text)`)]),
    '',
    `Ask it something${size}:`,
    '',
    paint.cyan(block.curl),
    '',
    'What to try next:',
    row('the same curl again', 'the prompt’s KV is reused instead of computed'),
    row('npx baton trace last', 'the request as a tree: plan, prefill, KV transfer, decode'),
    row('npx baton top', 'workers, load, tiers and transfers, live'),
    row('npx baton demo', 'one load by round robin and by Baton: computed, reused, moved'),
    row('npx baton index stats', 'what KV the conductor knows, by worker and tier'),
    row('Ctrl-C', 'stops everything'),
    '',
  ];
}
