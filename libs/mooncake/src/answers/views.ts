import type { Context } from '../contexts/context.ts';
import { profileView } from '../contexts/hash-profile.ts';
import type { Publisher } from '../contexts/publisher.ts';

/** Body of `GET /global_view`: every context with what is in it. */
export function globalView(contexts: readonly Context[]): object {
  return {
    context_count: contexts.length,
    contexts: contexts.map((context) => ({
      model_name: context.name.model,
      lora_name: context.name.loraName ?? '',
      block_size: context.name.blockSize,
      tenant_id: context.name.tenantId,
      prefix_count: context.index.blocks,
      index_bytes: context.index.sizeBytes,
      unresolved_blocks: [...context.publishers].reduce(
        (sum, { counters }) => sum + counters.unresolvedBlocks,
        0,
      ),
      hash_profile: profileView(context.hashProfile),
      instances: instancesView(context.publishers),
    })),
  };
}

/** Body of `GET /services`: every registration, in the words of Mooncake's conductor, with what is counted of it. */
export function servicesView(publishers: readonly Publisher[]): object {
  return { count: publishers.length, services: publishers.map(serviceView) };
}

function serviceView(publisher: Publisher): object {
  const { request, counters, held, problem, feedFault, engineBlockSize } = publisher;
  return {
    Endpoint: request.endpoint,
    ReplayEndpoint: request.replayEndpoint ?? '',
    Type: request.type,
    ModelName: request.model,
    LoraName: request.loraName ?? '',
    TenantID: request.tenantId,
    InstanceID: request.instanceId,
    BlockSize: request.blockSize,
    DPRank: request.dpRank,
    CacheGroup: request.cacheGroup ?? null,
    AdditionalSalt: request.additionalSalt ?? '',
    HashProfile: profileView(request.hashProfile),
    State: problem ?? 'following',
    ConnectionFault: feedFault ?? '',
    EngineBlockSize: engineBlockSize ?? null,
    Blocks: held,
    Counters: counters,
  };
}

function instancesView(publishers: Iterable<Publisher>): object {
  const instances = new Map<string, number[]>();
  for (const { request } of publishers) {
    const ranks = instances.get(request.instanceId);
    if (ranks === undefined) instances.set(request.instanceId, [request.dpRank]);
    else ranks.push(request.dpRank);
  }
  return Object.fromEntries(instances);
}
