import type { Suite } from '../report.ts';
import { inProcess } from './in-process.ts';

/** The segment index and the path of knowledge to it. */
export const indexSuite: Suite = {
  name: 'index',
  describes: 'the segment index and the event path, against a naive index of Maps',
  async run(say) {
    return inProcess(say);
  },
};
