import { DEFAULT_NAME, putPolicy, settingsText } from '../commands/policy-command.ts';
import { askConductor } from '../index/index-target.ts';
import { field, isObject } from '../json-fields.ts';

/** How requests are to be treated for a while. */
export interface Treatment {
  policy: string;
  queue: string;
}

/** The settings of a model as they were, to be put back. */
export interface HeldPolicy {
  /** In words. */
  was: string;
  /** Command line that puts it back by hand. */
  command: string;
  /** @throws BatonError as `putPolicy` */
  switchTo(treatment: Treatment): Promise<void>;
  /** @throws BatonError as `putPolicy` */
  restore(): Promise<void>;
}

const LEG_POLICIES = ['prefillPolicy', 'decodePolicy'] as const;
const OURS = ['policy', ...LEG_POLICIES, 'queue'] as const;

/**
 * Remembers how requests of a model are treated. Where it has settings of its own those are changed, otherwise those of
 * all models, and only the fields that a treatment touches.
 */
export async function holdPolicy(url: string, model: string): Promise<HeldPolicy> {
  const answer = await askConductor(url, '/policies');
  const own = field(field(answer, 'models'), model);
  const defaults = field(answer, 'defaults');
  const settings = isObject(own) ? { ...(isObject(defaults) ? defaults : {}), ...own } : defaults;
  const target = isObject(own) ? model : undefined;
  const none = Object.fromEntries(OURS.map((name) => [name, null]));
  const before = isObject(own) ? { ...none, ...picked(own, OURS) } : picked(defaults, OURS);
  let isChanged = false;
  return {
    was: settingsText(settings),
    command: commandOf(before, target),
    switchTo: async ({ policy, queue }) => {
      // A leg with a policy of its own would keep it.
      const legs = Object.keys(picked(settings, LEG_POLICIES)).map((leg) => [leg, policy]);
      // Also when there is no answer: it may have been heard.
      isChanged = true;
      await putPolicy(url, target, { policy, queue, ...Object.fromEntries(legs) });
    },
    restore: async () => {
      // For what was not touched a policy would forget what it has learned.
      if (isChanged) await putPolicy(url, target, before);
    },
  };
}

function commandOf(settings: unknown, model: string | undefined): string {
  const flag = (name: string, key: string): string => {
    const value = field(settings, key);
    const said = value === null ? DEFAULT_NAME : value;
    return typeof said === 'string' ? ` ${name}${said}` : '';
  };
  const legs = flag('--prefill ', 'prefillPolicy') + flag('--decode ', 'decodePolicy');
  const whose = model === undefined ? '' : ` --model ${model}`;
  return `npx baton policy${flag('', 'policy')}${legs}${flag('--queue ', 'queue')}${whose}`;
}

function picked(value: unknown, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    keys.map((key) => [key, field(value, key)]).filter(([, found]) => found != null),
  ) as Record<string, unknown>;
}
