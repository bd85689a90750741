import type { FastifyInstance } from 'fastify';
import { checkBody } from '@baton/openai';
import { z } from 'zod';
import type { Fault } from '../faults/fault.ts';
import type { Violation, ViolationCounts } from '../violations.ts';
import { EngineError } from './engine-error.ts';

/** What a stand-in has that is not at rest; everything is 0 when nobody uses it. */
export interface InUse {
  openRequests: number;
  runs: number;
  usedBlocks: number;
  heldPrompts: number;
}

/** What a test can ask of a stand-in over HTTP, as it can in code. */
export interface SimControls {
  violations(): { list: readonly Violation[]; counts: ViolationCounts };
  inUse(): InUse;
  armed(): readonly Fault[];
  arm(fault: Fault, times: number): void;
  clearFaults(): void;
  freeze(): void;
  thaw(): void;
  die(): void;
  /** Ends at once and comes back after `downMs`; the answer to whoever asked for it is not sent. */
  restart(downMs: number): void;
  /** Resolves when the process is not frozen. */
  thawed(): Promise<void>;
}

const on = z.enum(['aggregated', 'prefill', 'decode']).optional();
const times = z.int().min(1).max(10_000).default(1);
const afterTokens = z.int().min(0).default(0);
const plain = <K extends string>(kind: K) => z.strictObject({ kind: z.literal(kind), times });
const ofLeg = <K extends string>(kind: K) => z.strictObject({ kind: z.literal(kind), times, on });
const inStream = <K extends string>(kind: K) =>
  z.strictObject({ kind: z.literal(kind), times, on, afterTokens });

const faultSchema = z.discriminatedUnion('kind', [
  ofLeg('hang'),
  ofLeg('reset'),
  z.strictObject({
    kind: z.literal('status'),
    times,
    on,
    status: z.int().min(400).max(599),
    retryAfterSec: z.number().min(0).optional(),
  }),
  z.strictObject({ kind: z.literal('delay'), times, on, delayMs: z.number().min(0) }),
  inStream('cut'),
  inStream('stall'),
  inStream('malformed_sse'),
  inStream('error_event'),
  plain('no_parameters'),
  plain('transfer_failure'),
  plain('lose_events'),
  plain('repeat_events'),
  z.strictObject({ kind: z.literal('freeze') }),
  z.strictObject({ kind: z.literal('thaw') }),
  z.strictObject({ kind: z.literal('die') }),
  z.strictObject({ kind: z.literal('restart'), downMs: z.number().min(0).default(0) }),
]);

export function addSimRoutes(server: FastifyInstance, controls: SimControls): void {
  server.get('/sim/violations', () => {
    const { list, counts } = controls.violations();
    return { violations: list, counts };
  });
  server.get('/sim/state', () => controls.inUse());
  server.get('/sim/faults', () => ({ armed: controls.armed() }));
  server.delete('/sim/faults', () => {
    controls.clearFaults();
    return { armed: [] };
  });
  server.post('/sim/faults', (request, reply) => {
    const body = checkBody<object>(request.body, faultSchema);
    if (!body.ok) throw new EngineError(400, body.error.message);
    const fault = faultSchema.parse(request.body);
    switch (fault.kind) {
      case 'freeze':
        controls.freeze();
        break;
      case 'thaw':
        controls.thaw();
        break;
      case 'die':
        controls.die();
        break;
      case 'restart': {
        const { downMs } = fault;
        reply.raw.once('finish', () => controls.restart(downMs));
        break;
      }
      default: {
        const { times: count, ...armed } = fault;
        controls.arm(armed, count);
      }
    }
    return { armed: controls.armed() };
  });
}
