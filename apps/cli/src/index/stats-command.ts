import { formatBytes, formatCount } from '../render/quantities.ts';
import { printable, type Paint } from '../render/terminal-text.ts';
import { textTable } from '../render/text-table.ts';
import { askConductor } from './index-target.ts';
import { readIndex, type IndexedWorker, type IndexOutput, type IndexView } from './index-view.ts';

/** `baton index stats`: what the index holds, of whom, and how well it follows. */
export async function runIndexStats(
  url: string,
  { json, paint, print }: IndexOutput,
): Promise<void> {
  const answer = await askConductor(url, '/index');
  if (json) return print(JSON.stringify(answer, null, 2));
  for (const line of statsLines(readIndex(answer), paint)) print(line);
}

export function statsLines(view: IndexView, paint: Paint): string[] {
  const replicas = `${formatCount(view.replicas)} replicas of ${formatCount(view.maxReplicas)}`;
  const tiers = view.byTier.map(([name, count]) => `${name} ${formatCount(count)}`).join('  ');
  return [
    `Baton’s own workers: ${formatCount(view.segments)} segments, ${replicas}, ${formatBytes(view.sizeBytes)}`,
    `held in  ${tiers === '' ? 'no tier' : tiers}`,
    ...troubles(view).map(paint.yellow),
    '',
    ...workerLines(view, paint),
    ...(view.publishers.length === 0 ? [] : ['', ...publisherLines(view, paint)]),
  ];
}

/** What is lost or refused since the conductor started; nothing when all is well. */
function troubles(view: IndexView): string[] {
  const counted: [number, string][] = [
    [view.evictedSegments, 'segments evicted for lack of room'],
    [view.refusedStores, 'stores refused: too many ranks'],
    [view.ignoredOps, 'changes ignored: unknown tier or damaged keys'],
    [view.strayMessages, 'messages of workers that are not known'],
  ];
  return counted
    .filter(([count]) => count > 0)
    .map(([count, what]) => `${formatCount(count)} ${what}`);
}

function workerLines({ workers }: IndexView, paint: Paint): string[] {
  if (workers.length === 0) return ['no worker of Baton’s own'];
  const rows = workers.flatMap((worker) => {
    const tiers = worker.tiers.length === 0 ? [undefined] : worker.tiers;
    return tiers.map((tier, i) => [
      ...(i === 0 ? [printable(worker.id)] : ['']),
      ...(tier === undefined
        ? ['-', '-', '0', '-']
        : [
            String(tier.rank),
            printable(tier.name) + (tier.isResumePoints ? ' resume points' : ''),
            formatCount(tier.indexedSegments),
            tier.isSame
              ? paint.green('same')
              : paint.yellow(`agent says ${formatCount(tier.segments)}`),
          ]),
      ...(i === 0 ? followed(worker, paint) : []),
    ]);
  });
  const titles = ['worker', '>rank', 'tier', '>segments', 'digest', 'state', '>gaps', 'resyncs'];
  return textTable([...titles, '>unresolved', '>unreadable'], rows, paint);
}

function followed(worker: IndexedWorker, paint: Paint): string[] {
  const resyncs = worker.resyncs.map(([cause, count]) => `${formatCount(count)} ${cause}`);
  return [
    stateOf(worker, paint),
    formatCount(worker.gaps + worker.eventGaps),
    resyncs.length === 0 ? '0' : resyncs.join(', '),
    formatCount(worker.unresolvedBlocks),
    formatCount(worker.decodeFailures),
  ];
}

function stateOf({ synced, incomplete, waitingKeys }: IndexedWorker, paint: Paint): string {
  if (incomplete) return paint.yellow('incomplete');
  if (synced) return paint.green('synced');
  return paint.yellow(waitingKeys > 0 ? `${formatCount(waitingKeys)} keys wait` : 'syncing');
}

function publisherLines({ publishers }: IndexView, paint: Paint): string[] {
  const rows = publishers.map((publisher) => [
    printable(publisher.instanceId),
    printable(publisher.tenantId),
    printable(publisher.model),
    String(publisher.rank),
    publisher.state === 'following'
      ? paint.green(publisher.state)
      : paint.yellow(printable(publisher.state)),
    formatCount(publisher.blocks),
    formatCount(publisher.batches),
    formatCount(publisher.gaps),
    formatCount(publisher.unresolvedBlocks),
    formatCount(publisher.decodeFailures),
  ]);
  const titles = ['registered', 'tenant', 'model', '>rank', 'state', '>blocks', '>batches'];
  return textTable([...titles, '>gaps', '>unresolved', '>unreadable'], rows, paint);
}
