const BAR_CELLS = 30;
const LINES = 4;

export interface ProgressOutput {
  write: (text: string) => void;
  /** Whether a line can be rewritten. */
  isTty: boolean;
}

export interface ReplayProgress {
  /** @param settled requests of all runs together */
  show(settled: number): void;
  end(): void;
}

/** How far all runs together have come: a bar on a terminal, elsewhere a line at each quarter. */
export function replayProgress(
  runs: number,
  requests: number,
  { write, isTty }: ProgressOutput,
): ReplayProgress {
  const total = runs * requests;
  const what = `${runs} ${runs === 1 ? 'run' : 'runs'} of ${requests} requests`;
  let quarters = 0;
  const quarterLine = (settled: number): void => {
    const reached = Math.floor((settled / total) * LINES);
    if (reached <= quarters) return;
    quarters = reached;
    write(`replay: ${(reached * 100) / LINES} % of ${what}\n`);
  };
  const bar = (settled: number): void => {
    const filled = Math.round((settled / total) * BAR_CELLS);
    const cells = '█'.repeat(filled) + '░'.repeat(BAR_CELLS - filled);
    write(`\r\x1b[K${cells} ${Math.floor((settled / total) * 100)} %  ${what}`);
  };
  return {
    show: isTty ? bar : quarterLine,
    end: () => {
      if (isTty) write('\r\x1b[K');
    },
  };
}
