import type { Pod } from './pod.ts';

export type PodRole = 'prefill' | 'decode' | 'both';

/** An engine in a pod. Another address, role or incarnation of the pod is another engine. */
export interface PodEngine {
  /** Name of the pod, with the port where it has several engines; fit for a worker id. */
  workerId: string;
  /** `http://10.0.0.1:8000`; with https where the pod says so. */
  url: string;
  role: PodRole;
  pod: string;
  /** Of the pod: two pods of one name have two. */
  uid: string;
}

/** What tells an engine from all others. */
export function engineKey({ uid, url, role }: PodEngine): string {
  return [uid, url, role].join(' ');
}

/**
 * Engines of a pod, or why nothing may be sent to it. `unready` says why nothing may be sent to its engines for the
 * moment, of a pod that runs.
 */
export type PodVerdict = { engines: PodEngine[]; unready?: string } | { why: string };

type Scheme = 'http' | 'https';

/** Ports of the engines in a pod, such as `8000` or `8000,8001`; goes before what is configured. */
const PORTS_ANNOTATION = 'baton/ports';
/** `https` of a pod whose engines serve that; where it is missing, the name of the container port tells. */
const SCHEME_ANNOTATION = 'baton/scheme';
/** As Kubernetes names ports by their protocol: `https`, `https-api`. */
const HTTPS_PORT = /^https(-|$)/;
const ROLE_LABEL = 'llm-d.ai/role';
const ROLES: Record<string, PodRole> = {
  prefill: 'prefill',
  decode: 'decode',
  both: 'both',
  'prefill-decode': 'both',
};
/** Of an engine over several pods only the one with this value serves HTTP. */
const LEADERS: Record<string, string> = {
  'leaderworkerset.sigs.k8s.io/worker-index': '0',
  'ray.io/node-type': 'head',
};
const MAX_PORT = 65_535;
const MAX_PORTS = 64;
const MAX_WORKER_ID_CHARS = 64;

/**
 * What a pod is to the planner: it has engines while it runs, has an address and is not being deleted, and something can
 * be sent to them while it is ready.
 *
 * @param role given by the selector that found it; undefined goes by the pod's label
 * @param port number, or name of a container port
 */
export function podEngines(pod: Pod, role: PodRole | undefined, port: number | string): PodVerdict {
  const { name, uid, labels = {} } = pod.metadata;
  const why = obstacle(pod);
  if (why !== undefined) return { why };
  const label = labels[ROLE_LABEL];
  const actual = role ?? (label === undefined ? 'both' : ROLES[label]);
  if (actual === undefined) return { why: `its label ${ROLE_LABEL} is ${label}` };
  const ports = portsOf(pod, port);
  if (typeof ports === 'string') return { why: ports };
  const address = pod.status.podIP ?? '';
  const host = address.includes(':') ? `[${address}]` : address;
  const engines: PodEngine[] = [];
  for (const number of ports) {
    const scheme = schemeOf(pod, number);
    if (scheme === undefined)
      return { why: `its annotation ${SCHEME_ANNOTATION} must be http or https` };
    engines.push({
      workerId: workerIdOf(name, ports.length === 1 ? '' : `-${number}`),
      url: `${scheme}://${host}:${number}`,
      role: actual,
      ...{ pod: name, uid },
    });
  }
  const ready = pod.status.conditions?.find(({ type }) => type === 'Ready');
  return ready?.status === 'True' ? { engines } : { engines, unready: 'it is not ready' };
}

function obstacle({ metadata, status }: Pod): string | undefined {
  if (metadata.deletionTimestamp !== undefined) return 'it is being deleted';
  for (const [label, leader] of Object.entries(LEADERS)) {
    const value = metadata.labels?.[label];
    if (value !== undefined && value !== leader) return 'another pod leads its group';
  }
  if (status.phase !== 'Running') return `its phase is ${status.phase ?? 'unknown'}`;
  if (status.podIP === undefined || status.podIP === '') return 'it has no address yet';
  return undefined;
}

/** Or a sentence that says what is wrong. */
function portsOf({ metadata, spec }: Pod, port: number | string): number[] | string {
  const annotation = metadata.annotations?.[PORTS_ANNOTATION];
  if (annotation !== undefined) {
    const ports = annotation.split(',').map((text) => text.trim());
    const areValid = ports.every((text) => /^[1-9]\d{0,4}$/.test(text) && Number(text) <= MAX_PORT);
    if (!areValid || ports.length > MAX_PORTS || new Set(ports).size < ports.length) {
      return `its annotation ${PORTS_ANNOTATION} must be ports such as 8000,8001`;
    }
    return ports.map(Number);
  }
  if (typeof port === 'number') return [port];
  const named = spec.containers.flatMap(({ ports = [] }) => ports);
  const found = named.find(({ name }) => name === port);
  return found === undefined
    ? `none of its container ports is named ${port}`
    : [found.containerPort];
}

/** Undefined where its annotation says something else. */
function schemeOf({ metadata, spec }: Pod, port: number): Scheme | undefined {
  const said = metadata.annotations?.[SCHEME_ANNOTATION];
  if (said !== undefined) return said === 'http' || said === 'https' ? said : undefined;
  const ports = spec.containers.flatMap((container) => container.ports ?? []);
  const name = ports.find(({ containerPort }) => containerPort === port)?.name ?? '';
  return HTTPS_PORT.test(name) ? 'https' : 'http';
}

/** The end of a name tells pods apart. */
function workerIdOf(pod: string, suffix: string): string {
  const name = pod.replaceAll(/[^A-Za-z0-9-]/g, '-');
  return `${name.slice(suffix.length - MAX_WORKER_ID_CHARS)}${suffix}`;
}
