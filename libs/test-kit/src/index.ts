/**
 * What tests of several rooms need: an HTTP client that reads streams, waiting, a free port, processes that end with the
 * test however it ends. Only tests and `src/testing` may import it; the lint table says so. Whole fleets are in test/kit.
 *
 * @module
 */
export { complete, randomPrompt, randomText } from './completion.ts';
export type { Completion, CompletionBody } from './completion.ts';
export { eventually } from './eventually.ts';
export { freePort } from './free-port.ts';
export { metricsOf, post, postStream, readStream, send, stream } from './http-client.ts';
export type { AnswerBody, HttpAnswer } from './http-client.ts';
export { startNatsServer, type NatsServer } from './nats-server.ts';
export { spansFromProtobuf, type ReceivedSpan } from './otlp-messages.ts';
export { spanTrees, startOtlpReceiver, type OtlpReceiver } from './otlp-receiver.ts';
export { processList } from './process-list.ts';
export { startService, type ServiceProcess } from './service-process.ts';
