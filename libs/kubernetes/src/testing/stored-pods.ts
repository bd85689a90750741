import type { StoredPod } from './test-pods.ts';

export interface PodEvent {
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  version: number;
  pod: StoredPod;
  /** The pod before it, by which a watch tells what enters and leaves its selector. */
  before: StoredPod | undefined;
}

/** What etcd has: pods by name, every change with a number of its own, and the history since the last compaction. */
export class StoredPods {
  version = 1_000;
  /** Changes up to this one are forgotten. */
  compactedTo = 0;
  readonly #pods = new Map<string, StoredPod>();
  #history: PodEvent[] = [];
  readonly #listeners = new Set<(event: PodEvent) => void>();

  /** Creates or changes a pod; the same name with another uid is another pod, and the old one is deleted first. */
  put(pod: StoredPod): void {
    const { name, uid } = pod.metadata;
    const before = this.#pods.get(name);
    if (before !== undefined && before.metadata.uid !== uid) this.delete(name);
    this.version += 1;
    const stored = versioned(pod, this.version);
    const known = this.#pods.get(name);
    this.#pods.set(name, stored);
    this.#tell({
      type: known === undefined ? 'ADDED' : 'MODIFIED',
      version: this.version,
      pod: stored,
      before: known,
    });
  }

  /** As by `kubectl delete --now`: those who watch hear first that it is being deleted. */
  delete(name: string): void {
    const known = this.#pods.get(name);
    if (known === undefined) throw new Error(`there is no pod ${name}`);
    if (known.metadata.deletionTimestamp === undefined) {
      const ending = { deletionTimestamp: new Date().toISOString(), deletionGracePeriodSeconds: 0 };
      this.put({ ...known, metadata: { ...known.metadata, ...ending } });
    }
    const before = this.#pods.get(name);
    if (before === undefined) return;
    this.version += 1;
    this.#pods.delete(name);
    // As etcd has it: the last state, with the number of the deletion.
    const pod = versioned(before, this.version);
    this.#tell({ type: 'DELETED', version: this.version, pod, before });
  }

  /** The history is forgotten: who is behind must list. */
  compact(): void {
    this.version += 1;
    this.compactedTo = this.version;
    this.#history = [];
  }

  list(): StoredPod[] {
    return [...this.#pods.values()].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  }

  /** Everything after `version`, then everything that comes. @returns what ends it */
  follow(version: number, tell: (event: PodEvent) => void): () => void {
    for (const event of this.#history) if (event.version > version) tell(event);
    this.#listeners.add(tell);
    return () => this.#listeners.delete(tell);
  }

  #tell(event: PodEvent): void {
    this.#history.push(event);
    for (const listener of this.#listeners) listener(event);
  }
}

function versioned(pod: StoredPod, version: number): StoredPod {
  return { ...pod, metadata: { ...pod.metadata, resourceVersion: String(version) } };
}
