import { describe, expect, it } from 'vitest';
import { noPaint, visibleWidth } from '../render/terminal-text.ts';
import { renderTop, type TopFrame } from '../render/top-frame.ts';
import { ByteRateMeter } from './byte-rates.ts';
import { readFleet, withGone } from './fleet-view.ts';

const workers = {
  workers: [
    {
      workerId: 'prefill-1',
      role: 'prefill',
      model: 'tiny',
      kvCapacityBlocks: 256,
      state: 'ready',
      reason: '',
      loads: [
        { runningSequences: 2, waitingSequences: 1, pendingPrefillTokens: 1353, kvUsedBlocks: 64 },
      ],
      tiers: [
        { tier: 'hbm', segments: 64, capacitySegments: 256 },
        { tier: 'dram', segments: 5, capacitySegments: 1024 },
      ],
      counters: { bytesIn: 0, bytesOut: 7_400_000, pullsActive: 0 },
    },
    {
      workerId: 'decode-1',
      role: 'decode',
      model: 'tiny',
      kvCapacityBlocks: 256,
      state: 'starting',
      reason: 'the engine is not connected',
      loads: [],
      tiers: [],
      counters: { bytesIn: 7_400_000, bytesOut: 0, pullsActive: 1 },
    },
  ],
};
const transfer = {
  transferId: 't1',
  reason: 'handover',
  sourceWorker: 'prefill-1',
  destinationWorker: 'decode-1',
  orderedSegments: 5,
  segments: 5,
  bytes: 7_400_000,
  durationMs: 9,
  bytesPerSec: 812e6,
  status: 'done',
  code: '',
};
const plans = {
  transfers: { bytes: 7_400_000 },
  plans: [
    { state: 'finished', transfers: [transfer] },
    { state: 'streaming', transfers: [{ ...transfer, transferId: 't2', status: 'ordered' }] },
  ],
};
const known = ['prefill-1', 'decode-1', 'decode-2'].map((id) => ({
  id,
  role: id.split('-')[0] ?? '',
}));

function frame(more: Partial<TopFrame> = {}): TopFrame {
  return {
    gatewayUrl: 'http://127.0.0.1:8080',
    upMs: 65_000,
    fleet: withGone(readFleet(workers, plans), known),
    rates: new Map([['decode-1', { inBytesPerSec: 3.7e6, outBytesPerSec: 0 }]]),
    requests: [
      { requestId: 'r', finishedAtMs: 0, prefillWorker: 'prefill-1', decodeWorker: 'decode-1' },
    ],
    ...more,
  };
}

it('a tier is the sum of its ranks; resume points are no segments', () => {
  const tier = { tier: 'hbm', segments: 3, capacitySegments: 10 };
  const tiers = [tier, { ...tier, rank: 1 }, { ...tier, holding: 'resumePoints' }];
  const [worker] = readFleet({ workers: [{ workerId: 'w1', tiers }] }, {}).workers;
  expect(worker?.tiers).toEqual([{ name: 'hbm', segments: 6, capacitySegments: 20 }]);
});

it('what moved is what agents transferred, and what engines without an agent read', () => {
  const engine = { workerId: 'e', transferAddress: '', counters: { bytesIn: 500 } };
  const ofAgent = { workerId: 'a', transferAddress: '10.0.0.1:7', counters: { bytesIn: 70 } };
  const answer = { workers: [engine, ofAgent, { workerId: 'new', transferAddress: '' }] };
  expect(readFleet(answer, { transfers: { bytes: 70 } }).movedBytes).toBe(570);
});

describe('renderTop', () => {
  it('shows workers, load, tiers, transfers and who is gone', () => {
    const lines = renderTop(frame(), noPaint, undefined);
    expect(lines.slice(0, 13)).toEqual([
      'Baton · tiny · http://127.0.0.1:8080 · up 65 s',
      '1 prefill, 0 decode ready · 1 request under way · 7.4 MB moved, now 3.7 MB/s',
      '',
      'worker     role     state      run  wait  to prefill  KV blocks             hbm segments          dram segments                 in         out  pulls',
      'prefill-1  prefill  ready        2     1       1 353  ██░░░░░░ 64/256       ██░░░░░░ 64/256       █░░░░░░░ 5/1 024               -           -      0',
      'decode-1   decode   starting     0     0           0  ░░░░░░░░ 0/256        -                     -                       3.7 MB/s           -      1',
      '           the engine is not connected',
      'decode-2   decode   gone',
      '',
      'transfers, 1 under way',
      '  prefill-1 → decode-1      handover  5 segments ordered · moving',
      '  prefill-1 → decode-1      handover  5/5 segments · 7.4 MB · 9 ms · 812 MB/s',
      '',
    ]);
    expect(lines.at(-1)).toContain('prefill-1 → decode-1');
  });

  it.each([
    [80, 24],
    [40, 10],
    [200, 60],
    [1, 1],
  ])('fits %d columns and %d rows', (columns, rows) => {
    const requests = Array.from({ length: 100 }, () => ({ requestId: 'r', finishedAtMs: 0 }));
    const lines = renderTop(frame({ requests }), noPaint, { columns, rows });
    expect(lines.length).toBeLessThanOrEqual(rows);
    expect(Math.max(...lines.map(visibleWidth))).toBeLessThanOrEqual(columns);
    if (rows === 60) expect(lines).toHaveLength(rows);
  });

  it('leaves out bars and lesser columns of a narrow terminal, never tiers, rates and reasons', () => {
    const table = (columns: number): string[] =>
      renderTop(frame(), noPaint, { columns, rows: 24 }).slice(3, 7);
    expect(table(80)).toEqual([
      'worker     role     state      run  wait  hbm      dram            in        out',
      'prefill-1  prefill  ready        2     1  64/256   5/1 024          -          -',
      'decode-1   decode   starting     0     0  -        -         3.7 MB/s          -',
      '           the engine is not connected',
    ]);
    expect(table(120)[0]).toMatch(/run  wait  to prefill  KV blocks  hbm +dram +in +out  pulls$/);
    const requests = renderTop(frame(), noPaint, { columns: 80, rows: 24 });
    expect(requests.at(-2)).toMatch(/^time .* reused  computed     TTFT  output     took$/);
    expect(table(68)[0]).toMatch(/state +hbm +dram +in +out$/);
  });

  it('says what is wrong and keeps the last picture', () => {
    const lines = renderTop(frame({ trouble: 'this "npm start" has ended' }), noPaint, undefined);
    expect(lines[1]).toBe('this "npm start" has ended');
    expect(lines.join('\n')).toContain('prefill-1');
  });

  it('names a transfer that brings the tail alone', () => {
    const tail = { ...transfer, orderedSegments: 0, segments: 0, bytes: 761_000 };
    const fleet = readFleet(workers, { plans: [{ transfers: [tail] }] });
    expect(renderTop(frame({ fleet }), noPaint, undefined).join('\n')).toContain(
      'tail only · 761 kB',
    );
  });

  it('shows an empty fleet', () => {
    const fleet = readFleet({}, {});
    expect(renderTop(frame({ fleet, requests: [] }), noPaint, undefined)).toContain(
      'no worker has joined',
    );
  });
});

describe('readFleet', () => {
  it.each([[undefined], [null], [[]], [{ workers: [null, 3, {}] }], ['x']])(
    'survives %j',
    (answer) => {
      expect(readFleet(answer, answer).transfers).toEqual([]);
    },
  );
});

describe('ByteRateMeter', () => {
  const fleet = (bytesIn: number): ReturnType<typeof readFleet> =>
    readFleet({ workers: [{ workerId: 'a', counters: { bytesIn } }] }, {});

  it('measures over two seconds and starts anew with a new incarnation', () => {
    const meter = new ByteRateMeter();
    expect(meter.measure(fleet(0), 0).get('a')).toBeUndefined();
    expect(meter.measure(fleet(0), 500).get('a')?.inBytesPerSec).toBe(0);
    expect(meter.measure(fleet(1000), 1000).get('a')?.inBytesPerSec).toBe(1000);
    expect(meter.measure(fleet(1000), 3000).get('a')?.inBytesPerSec).toBe(0);
    expect(meter.measure(fleet(10), 3500).get('a')).toBeUndefined();
    expect(meter.measure(fleet(20), 4500).get('a')?.inBytesPerSec).toBe(10);
  });
});
