/**
 * For tests of this and other packages: a proxy that spoils connections, and the suite that every backend passes.
 *
 * @module
 */
export { openFaultProxy } from './fault-proxy.ts';
export type { Fault, FaultProxy } from './fault-proxy.ts';
export { ScriptedSource, testKey, testKeys, testPayload } from './scripted-source.ts';
export { transferEngineContract } from './transfer-engine-contract.ts';
export type { ContractSide } from './transfer-engine-contract.ts';
