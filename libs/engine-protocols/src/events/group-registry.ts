import { SpecKind } from './event-fields.ts';
import type { EventRecord } from './event-batch.ts';
import { GroupCopies, roleOf } from './group-copies.ts';

/** Groups of layers that are told apart; no model has nearly as many. */
const MAX_GROUPS = 64;

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

  /**
   * Takes what an event says of its group. True when that is news, after which everything that follows from copies has
   * to be looked at again.
   */
  learn(record: EventRecord, capacity: number): boolean {
    const group = this.find(record.group);
    if (group) return refine(group, record);
    if (this.groups.length >= MAX_GROUPS) return false;
    const added = new GroupCopies(record.group, record.specKind, capacity);
    refine(added, record);
    this.groups = [...this.groups, added];
    return true;
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

function refine(group: GroupCopies, record: EventRecord): boolean {
  const { specKind, windowTokens, blockTokens } = record;
  let isNews = false;
  if (specKind !== SpecKind.ABSENT && specKind !== group.specKind) {
    group.specKind = specKind;
    group.role = roleOf(group.index, specKind);
    isNews = true;
  }
  if (windowTokens > 0 && windowTokens !== group.windowTokens) {
    group.windowTokens = windowTokens;
    isNews = true;
  }
  // An unfinished block is announced with a smaller size.
  if (group.role !== 'full' && Number.isFinite(blockTokens) && blockTokens > group.blockTokens) {
    group.blockTokens = blockTokens;
    isNews = true;
  }
  return isNews;
}
