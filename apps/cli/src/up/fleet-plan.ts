import path from 'node:path';
import type { UpOptions } from './up-options.ts';

export type ServiceKind = 'conductor' | 'gateway' | 'engine' | 'agent';

/** Main file of each kind of process. */
export type ServiceMains = Readonly<Record<ServiceKind, string>>;

export function serviceMains(cloneRoot: string): ServiceMains {
  const main = (app: string): string => path.join(cloneRoot, 'apps', app, 'src', 'main.ts');
  return {
    conductor: main('conductor'),
    gateway: main('gateway'),
    engine: main('engine'),
    agent: main('agent'),
  };
}

export interface PlannedWorker {
  id: string;
  role: 'prefill' | 'decode';
  /** Where agent and engine meet. Short: the path of a Unix socket has about a hundred characters. */
  socketPath: string;
}

export interface ServedModel {
  path: string;
  /** Name that clients use; undefined takes the file's. */
  name?: string;
}

/** `2 prefill and 1 decode worker` */
export function countedWorkers({ prefill, decode }: { prefill: number; decode: number }): string {
  return `${prefill} prefill and ${decode} decode ${decode === 1 ? 'worker' : 'workers'}`;
}

export function planWorkers(prefill: number, decode: number, folder: string): PlannedWorker[] {
  const workers = (role: PlannedWorker['role'], count: number): PlannedWorker[] =>
    Array.from({ length: count }, (_, i) => ({
      id: `${role}-${i + 1}`,
      role,
      socketPath: path.join(folder, `${role[0]}${i + 1}.sock`),
    }));
  return [...workers('prefill', prefill), ...workers('decode', decode)];
}

export function conductorArgs(
  natsUrl: string,
  { adminPort = 0, policy, queue }: Pick<UpOptions, 'adminPort' | 'policy' | 'queue'>,
): string[] {
  return [
    ...['--nats-url', natsUrl, '--grpc-port', '0', '--admin-port', String(adminPort)],
    ...(policy === undefined ? [] : ['--policy', policy]),
    ...(queue === undefined ? [] : ['--queue', queue]),
  ];
}

export function agentArgs(
  worker: PlannedWorker,
  natsUrl: string,
  dramBytes: number | undefined,
): string[] {
  return [
    ...['--worker-id', worker.id, '--role', worker.role],
    ...['--nats-url', natsUrl, '--socket-path', worker.socketPath],
    // Nothing is restarted here, and the workers of two runs have the same ids.
    '--events-journal=false',
    ...(dramBytes === undefined ? [] : ['--dram-bytes', String(dramBytes)]),
  ];
}

export function engineArgs(
  worker: PlannedWorker,
  settings: { model: ServedModel; engines: number; reproducible: boolean },
): string[] {
  return [
    ...['--model', settings.model.path, '--worker-id', worker.id, '--role', worker.role],
    ...(settings.model.name === undefined ? [] : ['--model-name', settings.model.name]),
    ...['--agent-socket', worker.socketPath, '--port', '0'],
    // They share the cores: more threads than cores make decoding crawl.
    ...['--engines-on-machine', String(settings.engines)],
    ...(settings.reproducible ? ['--reproducible'] : []),
  ];
}

export function gatewayArgs(settings: {
  conductor: string;
  host: string;
  port: number;
  record: string | undefined;
}): string[] {
  return [
    ...['--conductor', settings.conductor],
    ...['--host', settings.host, '--port', String(settings.port)],
    ...(settings.record === undefined ? [] : ['--record-file', settings.record]),
  ];
}
