import { benchEventDecode } from '../event-decode.ts';
import type { Suite } from '../report.ts';
import { inProcess } from './in-process.ts';
import { indexerUnderLoad } from './indexer-peers.ts';
import { natsPath } from './nats-path.ts';
import { snapshotOfMillion } from './snapshot.ts';
import { traceReplay } from './trace.ts';
import { zmqPath } from './zmq-path.ts';

/** The segment index and the path of knowledge to it. */
export const indexSuite: Suite = {
  name: 'index',
  describes: 'the segment index and the event path, against a naive index of Maps',
  async run(say, { signal, trace, peers }) {
    const figures = await inProcess(say, signal);
    figures.push(...(await snapshotOfMillion(say, signal)));
    figures.push(...benchEventDecode());
    figures.push(...(await natsPath(say, signal)));
    figures.push(...(await zmqPath(say, signal)));
    figures.push(...(await indexerUnderLoad(say, { signal, peers })));
    if (trace === undefined) say('no --trace FILE: the replay of a trace is left out');
    else figures.push(...(await traceReplay(trace, say)));
    return figures;
  },
};
