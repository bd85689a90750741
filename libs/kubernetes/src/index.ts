/**
 * Engines that run as Kubernetes pods, found by label.
 *
 * Data flow: kubeconfig or service account → list of pods, then a watch from there (PodFeed, one for each selector) → what
 * of them can be sent to (podEngines) → engines that came, paused, resumed and went (PodDiscovery). Access, credentials and TLS are the
 * official client's; list and watch are read here, since its own watch skips lines that it cannot parse, and a deletion
 * among them would be lost.
 *
 * - What a watch missed is found by the list that follows every watch: after a fault with growing pauses, at most some
 *   seconds, and every five minutes otherwise. What a list lacks is gone.
 * - While the API server is away engines stay as they were.
 * - Cost: the client is loaded with the first use, about a second and 90 MB; then a list every five minutes, and for each
 *   event one pass over the pods.
 *
 * @module
 */
export { PodDiscovery, type EnginesChange, type PodDiscoveryState } from './pod-discovery.ts';
export { engineKey, type PodEngine } from './pod-engines.ts';
