import type { baton } from '@baton/proto';
import type { InferenceFacts } from './core/inference-port.ts';

/** Whose KV bytes fit whose: the name and version of the way in which they are cut and written. */
const CONNECTOR = 'llama';
const CONNECTOR_VERSION = '1';

export interface EngineHelloFacts {
  facts: InferenceFacts;
  modelName: string;
  tokenization: string;
  segmentTokens: number;
  engineUrl: string;
  eventsEndpoint: string;
  replayEndpoint: string;
}

/** What the engine says of itself to its agent; id, role and address of the worker are the agent's to know. */
export function engineHello(options: EngineHelloFacts): baton.v1.IEngineHello {
  const { facts, segmentTokens } = options;
  return {
    worker: {
      model: options.modelName,
      engine: 'llama',
      engineUrl: options.engineUrl,
      layout: {
        modelRevision: facts.modelRevision,
        dtype: facts.dtype,
        layers: facts.layers,
        ranks: 1,
        blockTokens: segmentTokens,
        connector: CONNECTOR,
        connectorVersion: CONNECTOR_VERSION,
        bytesPerToken: facts.bytesPerToken,
        segmentBytes: facts.segmentBytes,
      },
      tokenization: options.tokenization,
      segmentTokens,
      maxModelTokens: facts.maxModelTokens,
      kvCapacityBlocks: facts.capacityBlocks,
      maxSequences: facts.maxSequences,
      capabilities: {
        pullPrefix: true,
        exportPrefix: true,
        overlapHandover: true,
        firstTokenFromPrefill: true,
        takeSalt: true,
        takeTokens: true,
        release: false,
        migrate: false,
        callTools: false,
      },
    },
    eventsEndpoint: options.eventsEndpoint,
    replayEndpoint: options.replayEndpoint,
    pageBytes: facts.pageBytes,
  };
}
