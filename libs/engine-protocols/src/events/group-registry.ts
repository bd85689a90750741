import { SpecKind } from './event-fields.ts';
import type { EventRecord } from './event-batch.ts';
import { GroupCopies, roleOf } from './group-copies.ts';

/** Groups of layers that are told apart; no model has nearly as many. */
const MAX_GROUPS = 64;

/** What an event has brought about its group. */
export const GroupNews = {
  NONE: 0,
  /** There is one more, or more is known of one: what follows from copies has to be looked at again. */
  MORE: 1,
  /** It is something else than was thought: nothing that was understood of it holds. */
  OTHER_ROLE: 2,
} as const;

/** The groups of layers that an engine has spoken of. */
export class GroupRegistry {
  groups: readonly GroupCopies[] = [];

  find(index: number): GroupCopies | undefined {
    const [first] = this.groups;
    if (first?.index === index) return first;
    return this.groups.find((group) => group.index === index);
  }

  /** True when the model has anything but full attention. */
  get isHybrid(): boolean {
    return this.groups.some(({ role }) => role !== 'full');
  }

  /** Takes what an event says of its group; returns one of {@link GroupNews}. */
  learn(record: EventRecord, capacity: number): number {
    const group = this.find(record.group);
    if (group) return refine(group, record);
    if (this.groups.length >= MAX_GROUPS) return GroupNews.NONE;
    const added = new GroupCopies(record.group, record.specKind, capacity);
    refine(added, record);
    this.groups = [...this.groups, added];
    return GroupNews.MORE;
  }

  /** The same groups without any copies. */
  empty(capacity: number): void {
    this.groups = this.groups.map((group) => {
      const empty = new GroupCopies(group.index, group.specKind, capacity);
      empty.windowTokens = group.windowTokens;
      empty.blockTokens = group.blockTokens;
      return empty;
    });
  }
}

function refine(group: GroupCopies, record: EventRecord): number {
  const { specKind, windowTokens, blockTokens } = record;
  let news: number = GroupNews.NONE;
  if (specKind !== SpecKind.ABSENT && specKind !== group.specKind) {
    const { role } = group;
    group.specKind = specKind;
    group.role = roleOf(group.index, specKind);
    if (group.role !== role) news = GroupNews.OTHER_ROLE;
  }
  if (windowTokens > 0 && windowTokens !== group.windowTokens) {
    group.windowTokens = windowTokens;
    news = Math.max(news, GroupNews.MORE);
  }
  // An unfinished block is announced with a smaller size.
  if (group.role !== 'full' && Number.isFinite(blockTokens) && blockTokens > group.blockTokens) {
    group.blockTokens = blockTokens;
    news = Math.max(news, GroupNews.MORE);
  }
  return news;
}
