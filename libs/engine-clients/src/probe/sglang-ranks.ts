import type { SglangServer } from '@baton/engine-protocols';
import { jsonOf } from './ask-engine.ts';
import type { Ask } from './probed-engine.ts';

/** By which one side of pairs is asked without the other: SGLang warms itself up so (disaggregation/utils.py). */
const NO_PAIR = { bootstrap_host: '2.2.2.2', bootstrap_room: 0 };

/**
 * As many as there are, when it lets itself be told which one is to answer. A number that it does not have may end its
 * controller (before its pull request 19762), so that only such are asked that it has: the last one and the first one,
 * twice each, which one that takes turns or the idlest never gets right. Each says of its answer which rank gave it.
 */
export async function addressableRanks(server: SglangServer, ask: Ask): Promise<number> {
  const { dataParallelRanks: ranks, side, bootstrapPort } = server;
  if (ranks === 1) return 1;
  const alone = side === undefined ? {} : { ...NO_PAIR, bootstrap_port: bootstrapPort };
  for (const rank of [ranks - 1, ranks - 1, 0, 0]) {
    const answer = await ask('/generate', {
      ...{ input_ids: [1], sampling_params: { max_new_tokens: 1 }, routed_dp_rank: rank },
      ...alone,
    });
    if (answeringRank(jsonOf(answer)) !== rank) return 1;
  }
  return ranks;
}

/** `meta_info.dp_rank` of an answer, or of the first of several. */
function answeringRank(answer: unknown): unknown {
  const first: unknown = Array.isArray(answer) ? answer[0] : answer;
  if (typeof first !== 'object' || first === null || !('meta_info' in first)) return undefined;
  const { meta_info: info } = first;
  return typeof info === 'object' && info !== null && 'dp_rank' in info ? info.dp_rank : undefined;
}
