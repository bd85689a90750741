// One side of a session as a process of its own, so that rpc.test.ts can kill it: `conductor PORT` or `gateway TARGET`.
import { openSession, serveSessions } from '@baton/rpc';

const [side, address = ''] = process.argv.slice(2);
process.on('disconnect', () => process.exit());
const log = { info: () => undefined, warn: () => undefined };

if (side === 'conductor') {
  const server = await serveSessions({
    host: '127.0.0.1',
    port: Number(address),
    onFault: (error) => console.error(error),
    onSession: (session) => {
      session.sendFleet({ models: [{ model: 'tiny', ready: true }] });
      return {
        onPlan: ({ requestId }) => {
          if (requestId !== 'never') session.sendPlan({ requestId, planId: `plan-${requestId}` });
        },
        onReport: () => undefined,
        onClose: () => undefined,
      };
    },
  });
  process.send?.(server.port);
} else {
  openSession({
    target: address,
    hello: { gatewayId: 'doomed' },
    onFleet: () => process.send?.('fleet'),
    log,
  });
}
