/**
 * For tests that need an API server of Kubernetes: a stand-in with the answers of a real one, and pods for it.
 *
 * @module
 */
export { ApiStandIn } from './api-stand-in.ts';
export { testPod } from './test-pods.ts';
