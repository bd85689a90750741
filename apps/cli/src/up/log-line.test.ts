import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { readableLine, readLogLine } from './log-line.ts';
import { readLines } from './line-reader.ts';

const line = (record: object): string => JSON.stringify({ service: 'gateway', ...record });

it('reads a request, with whatever is known of it', () => {
  const time = '2026-01-02T03:04:05.678Z';
  const record = { event: 'request', requestId: 'r', time, ttftMs: 3, code: 7, model: 'm' };
  expect(readLogLine(line({ level: 'info', ...record }))).toMatchObject({
    kind: 'request',
    request: { requestId: 'r', finishedAtMs: Date.parse(time), ttftMs: 3, model: 'm' },
  });
  const read = readLogLine(line({ level: 'info', ...record }));
  expect(read.kind === 'request' && read.request.code).toBeUndefined();
});

it.each([
  [{ level: 'info', event: 'x', msg: 'fine' }, undefined],
  [{ level: 'warn', event: 'x', msg: 'odd' }, ['warning', false, 'odd']],
  [{ level: 'warn', msg: 'lost', workerId: 'd1' }, ['warning', false, 'lost (d1)']],
  [
    { level: 'warn', msg: 'leg', worker: 'p1', code: 'c', reason: 'r' },
    ['warning', false, 'leg (p1: c, r)'],
  ],
  [
    {
      level: 'warn',
      msg: 't',
      service: 'agent',
      workerId: 'd1',
      reason: 'handover',
      message: 'cut',
    },
    ['warning', false, 't (cut)'],
  ],
  [{ level: 'error', event: 'x', err: { message: 'broken' } }, ['error', false, 'broken']],
  [{ level: 'fatal', msg: 'cannot start', code: 'c' }, ['error', true, 'cannot start']],
  [{ level: 'fatal', event: 'start_failed' }, ['error', true, 'start_failed']],
])('reads %j', (record, expected) => {
  const read = readLogLine(line(record));
  const got = read.kind === 'notice' ? [read.severity, read.fatal, read.message] : undefined;
  expect(got).toEqual(expected);
});

it('reads what nats-server says', () => {
  const text = '[11690] 2026/11/29 19:18:43.374498 [FTL] Error listening on port';
  expect(readLogLine(text)).toMatchObject({ fatal: true, message: 'Error listening on port' });
  expect(readLogLine('[1] 2026/11/29 19:18:43.374498 [INF] Server is ready').kind).toBe('quiet');
});

it.each(['{not json', '', 'plain', '{"level":30}', 'null'])('is quiet about %j', (text) => {
  expect(readLogLine(text).kind).toBe('quiet');
});

it('makes a log line readable', () => {
  expect(readableLine(line({ level: 'error', event: 'e', err: { message: 'm' } }))).toBe(
    'error e m',
  );
  expect(readableLine('    at main.ts:3')).toBe('    at main.ts:3');
});

it('splits a stream into lines, however it comes, and bounds one without end', () => {
  const stream = new PassThrough();
  const lines: string[] = [];
  readLines(stream, (text) => lines.push(text));
  for (const chunk of ['a', 'b\nc\r\n\n', 'ö'.repeat(3)]) stream.write(chunk);
  stream.write(`\n${'x'.repeat(100_000)}`);
  stream.end('y');
  return new Promise<void>((resolve) => {
    stream.on('close', () => {
      expect(lines.slice(0, 3)).toEqual(['ab', 'c', 'ööö']);
      expect(lines.slice(3).join('')).toBe(`${'x'.repeat(100_000)}y`);
      expect(lines.length).toBe(5);
      resolve();
    });
  });
});
