/** A pod as the API server stores it. */
export interface StoredPod {
  apiVersion: 'v1';
  kind: 'Pod';
  metadata: {
    name: string;
    namespace: string;
    uid: string;
    resourceVersion: string;
    creationTimestamp: string;
    deletionTimestamp?: string;
    deletionGracePeriodSeconds?: number;
    labels: Record<string, string>;
    annotations?: Record<string, string>;
  };
  spec: {
    containers: {
      name: string;
      image: string;
      ports?: { name?: string; containerPort: number }[];
    }[];
  };
  status: {
    phase: string;
    podIP?: string;
    podIPs?: { ip: string }[];
    conditions: { type: string; status: string; lastTransitionTime: string }[];
  };
}

export interface PodChanges {
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ports?: { name?: string; containerPort: number }[];
  phase?: string;
  podIP?: string;
  isReady?: boolean;
  isTerminating?: boolean;
  uid?: string;
}

const AT = '2026-11-30T20:00:00Z';

/** One that serves, unless it is told otherwise. */
export function testPod(name: string, changes: PodChanges = {}): StoredPod {
  const { labels = { app: 'vllm' }, annotations, ports, podIP = '10.0.0.1', uid } = changes;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...{ name, namespace: 'inference', uid: uid ?? `uid-of-${name}`, resourceVersion: '' },
      creationTimestamp: AT,
      ...(changes.isTerminating === true && {
        deletionTimestamp: AT,
        deletionGracePeriodSeconds: 30,
      }),
      labels,
      ...(annotations !== undefined && { annotations }),
    },
    spec: {
      containers: [{ name: 'engine', image: 'vllm', ...(ports !== undefined && { ports }) }],
    },
    status: {
      phase: changes.phase ?? 'Running',
      ...(podIP !== '' && { podIP, podIPs: [{ ip: podIP }] }),
      conditions: [
        { type: 'PodScheduled', status: 'True', lastTransitionTime: AT },
        {
          type: 'Ready',
          status: changes.isReady === false ? 'False' : 'True',
          lastTransitionTime: AT,
        },
      ],
    },
  };
}
