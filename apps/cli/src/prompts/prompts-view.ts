import { formatCount } from '../render/quantities.ts';
import type { Paint } from '../render/terminal-text.ts';
import { textTable } from '../render/text-table.ts';
import type { BreakReport, PromptAnalysis } from './prompt-analysis.ts';

/** What a person reads of an analysis. */
export function promptLines(analysis: PromptAnalysis, paint: Paint): string[] {
  const { requests, promptTokens, blocks, blockTokens, sharedBlocks, sharedTokens } = analysis;
  return [
    `${formatCount(requests)} requests, ${formatCount(promptTokens)} prompt tokens in ${formatCount(blocks)} blocks of ${blockTokens}`,
    `found again in a cache without limit: ${formatCount(sharedBlocks)} blocks (${percent(analysis.blockHitRatio)}), ${formatCount(sharedTokens)} tokens`,
    '',
    ...breakLines(analysis, paint),
    '',
    ...prefixLines(analysis, paint),
  ];
}

function breakLines(analysis: PromptAnalysis, paint: Paint): string[] {
  const { breaks, breakCount, requestsWithContent, requests } = analysis;
  if (breaks.length === 0) return ['Nowhere do many requests share a prefix, part and go on.'];
  const rows = breaks.map((found) => [
    formatCount(found.atToken),
    formatCount(found.requests),
    formatCount(found.ways),
    formatCount(found.tokensBehind),
    formatCount(found.computedTokens),
    formatCount(found.firstLine),
    behindText(found, paint),
  ]);
  const titles = ['>at token', '>requests', '>ways on', '>tokens behind', '>computed'];
  const more = breakCount - breaks.length;
  return [
    paint.bold('Where shared prefixes break'),
    ...textTable([...titles, '>e.g. line', 'behind what differs'], rows, paint),
    ...(more > 0 ? [paint.dim(`and ${formatCount(more)} more (--top)`)] : []),
    ...(requestsWithContent < requests ? [withoutContent(analysis)] : []),
  ];
}

function behindText({ behind }: BreakReport, paint: Paint): string {
  if (behind === undefined) return paint.dim('unknown');
  const { run, reorderedBlocks, reusableTokens, known } = behind;
  if (reusableTokens === 0) return 'nothing in common';
  const parts: string[] = [];
  if (reorderedBlocks > 0) parts.push(`${blocksText(reorderedBlocks)} in another order`);
  if (run !== undefined) {
    const where = `from token ${formatCount(run.fromToken)}`;
    const share = percent(run.requests / known);
    parts.push(`${blocksText(run.blocks)} ${where} the same in ${share}`);
  }
  const most = `${formatCount(reusableTokens)} tokens could be reused`;
  return `${parts.join(', ')}: ${paint.yellow(most)}`;
}

function blocksText(blocks: number): string {
  return blocks === 1 ? '1 block' : `${formatCount(blocks)} blocks`;
}

function withoutContent({ requests, requestsWithContent }: PromptAnalysis): string {
  const who =
    requestsWithContent === 0 ? 'This log has' : `${requests - requestsWithContent} requests have`;
  return `${who} no content_ids: whether the same text comes again behind a break cannot be told (docs/lab.md).`;
}

function prefixLines({ sharedPrefixes }: PromptAnalysis, paint: Paint): string[] {
  if (sharedPrefixes.length === 0) return ['No two requests share a block.'];
  const rows = sharedPrefixes.map(({ fromToken, toToken, requests, reusedTokens, firstLine }) => [
    `${formatCount(fromToken)} to ${formatCount(toToken)}`,
    formatCount(requests),
    formatCount(reusedTokens),
    formatCount(firstLine),
  ]);
  return [
    paint.bold('What is shared most'),
    ...textTable(['>tokens', '>requests', '>tokens reused', '>e.g. line'], rows, paint),
  ];
}

function percent(share: number): string {
  return `${Number((share * 100).toFixed(1))} %`;
}
