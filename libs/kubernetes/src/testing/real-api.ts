import { randomBytes } from 'node:crypto';
import { request } from 'node:https';
import { ClusterAccessSource } from '../cluster-access.ts';
import { testPod, type PodChanges } from './test-pods.ts';

const RUNNING_OUT_SEC = 30;

/** A real API server, with or without a cluster behind it, and a namespace of its own. Pods are bound to no real node. */
export class RealApi {
  readonly namespace = `baton-test-${randomBytes(4).toString('hex')}`;

  async start(): Promise<void> {
    await this.#call('POST', '/api/v1/namespaces', { metadata: { name: this.namespace } });
  }

  /** Creates or changes a pod. */
  async put(name: string, changes: PodChanges = {}): Promise<void> {
    const { metadata, spec, status } = testPod(name, changes);
    const { labels, annotations } = metadata;
    const made = { metadata: { name, labels, annotations }, spec: { ...spec, nodeName: 'none' } };
    await this.#call('POST', this.#path(), made, [409]);
    await this.#call('PATCH', this.#path(name), { metadata: { labels, annotations } });
    await this.#call('PATCH', `${this.#path(name)}/status`, { status });
  }

  /** It ends by itself, later. */
  async terminate(name: string): Promise<void> {
    await this.#call('DELETE', `${this.#path(name)}?gracePeriodSeconds=${RUNNING_OUT_SEC}`);
  }

  async delete(name: string): Promise<void> {
    await this.#call('DELETE', `${this.#path(name)}?gracePeriodSeconds=0`);
  }

  async close(): Promise<void> {
    await this.#call('DELETE', `${this.#path()}?gracePeriodSeconds=0`);
    await this.#call('DELETE', `/api/v1/namespaces/${this.namespace}`);
  }

  #path(name?: string): string {
    const pods = `/api/v1/namespaces/${this.namespace}/pods`;
    return name === undefined ? pods : `${pods}/${name}`;
  }

  async #call(method: string, path: string, body?: object, allowed: number[] = []): Promise<void> {
    const access = await new ClusterAccessSource().open(AbortSignal.any([]));
    const kind = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const headers = { ...access.options.headers, 'content-type': kind };
    const [status = 0, text] = await new Promise<[number | undefined, string]>(
      (resolve, reject) => {
        const url = new URL(path, access.server);
        const call = request(url, { ...access.options, method, headers }, (response) => {
          let answer = '';
          response.setEncoding('utf8').on('data', (piece: string) => (answer += piece));
          response.on('end', () => resolve([response.statusCode, answer]));
        });
        call.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body));
      },
    );
    if (status < 300 || allowed.includes(status)) return;
    throw new Error(`${method} ${path}: ${status} ${text}`);
  }
}
