import {
  EngineAccess,
  nixlSideChannel,
  probeEngine,
  type Credentials,
} from '@baton/engine-clients';
import { toBatonError } from '@baton/kv';
import type { CommandOutput } from '../commands/explain-command.ts';
import { findingLines } from './worker-command.ts';

/** `baton worker check`: looks at a running engine from here, without a conductor. False when it cannot be served. */
export async function checkEngine(
  url: string,
  credentials: Credentials,
  { json, print }: CommandOutput,
): Promise<boolean> {
  const findings = await findingsOf(url, new EngineAccess(credentials));
  if (json) print(JSON.stringify(findings, null, 2));
  else for (const line of findingLines(findings)) print(line);
  return findings.serves;
}

/** As the conductor's admin API has them. */
async function findingsOf(
  url: string,
  access: EngineAccess,
): Promise<Record<string, unknown> & { serves: boolean }> {
  try {
    const asked = { engineUrl: url, access, signal: AbortSignal.any([]) };
    const probed = await probeEngine(asked);
    const { engine, version, model, metrics, connector, side, takesChats } = probed;
    const caches = metrics?.cache?.prefixCaching !== false;
    const obstacle = caches ? probed.eventsObstacle : undefined;
    return {
      ...{ url, serves: true, engine, version, model: model.id },
      blockTokens: metrics?.cache?.blockTokens,
      blockTokensAssumed: metrics?.cache?.blockTokens === undefined,
      ...{ connector, role: side ?? 'both', pairOnly: side !== undefined, takesChats },
      index: obstacle === undefined ? 'exact' : 'approximate',
      approximateBecause: obstacle,
      ...(connector === 'nixl' && {
        sideChannel: await nixlSideChannel(asked, model.id),
        moved: metrics?.nixl,
      }),
    };
  } catch (error) {
    return { url, serves: false, problem: toBatonError(error).message };
  }
}
