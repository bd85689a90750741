import type { RequestOptions } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { ApiFault } from './api-fault.ts';

/** How the API server is spoken to, for a short while: tokens and certificates are renewed. */
export interface ClusterAccess {
  server: URL;
  /** Of the current context; in a cluster the namespace of this process. */
  namespace: string | undefined;
  /** Agent (TLS, proxy), headers (token) and certificates of a request. */
  options: RequestOptions;
}

/** Of a plugin that gets the credentials. */
const OPEN_MS = 30_000;
/** Where the client says the cluster is when nothing says it. */
const NOWHERE = 'http://localhost:8080';

/**
 * Access by the rules of the official client: `KUBECONFIG`, then `~/.kube/config`, then the service account of the pod
 * that this process runs in. Reads everything anew each time; at most one is under way.
 */
export class ClusterAccessSource {
  #opening: Promise<ClusterAccess> | undefined;

  /** @throws ApiFault that says what is missing, or that it took too long */
  async open(signal: AbortSignal): Promise<ClusterAccess> {
    this.#opening ??= openByDefault().finally(() => (this.#opening = undefined));
    const waiting = new AbortController();
    const limit = delay(OPEN_MS, undefined, {
      signal: AbortSignal.any([signal, waiting.signal]),
      ref: false,
    });
    try {
      const access = await Promise.race([this.#opening, limit]);
      if (access !== undefined) return access;
    } catch (error) {
      if (error instanceof ApiFault) throw error;
      // Further lines of a fault in a kubeconfig quote it, with its secrets.
      const [message] = (error instanceof Error ? error.message : String(error)).split('\n');
      throw new ApiFault(`access to the cluster: ${message}`);
    } finally {
      waiting.abort();
      limit.catch(() => undefined);
    }
    throw new ApiFault(`access to the cluster: no credentials within ${OPEN_MS / 1000} s`);
  }
}

async function openByDefault(): Promise<ClusterAccess> {
  // The client takes about a second and 90 MB to load.
  const { KubeConfig } = await import('@kubernetes/client-node');
  const config = new KubeConfig();
  config.loadFromDefault();
  const cluster = config.getCurrentCluster();
  const server = URL.parse(cluster?.server ?? '');
  if (cluster === null || server === null) {
    throw new ApiFault(
      'access to the cluster: the kubeconfig has no current context with a server',
    );
  }
  if (cluster.server === NOWHERE && config.getCurrentUser()?.name === 'user') {
    const places = 'KUBECONFIG, ~/.kube/config or the service account of a pod';
    throw new ApiFault(`access to the cluster: none of ${places} is there`);
  }
  const options: RequestOptions = {};
  await config.applyToHTTPSOptions(options);
  const namespace = config.getContextObject(config.getCurrentContext())?.namespace;
  return { server, namespace, options };
}
