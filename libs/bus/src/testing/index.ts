/**
 * For tests of this and other packages: a real nats-server that can be killed, restarted and suspended.
 *
 * @module
 */
export { startNatsServer, type NatsServer } from './nats-server.ts';
