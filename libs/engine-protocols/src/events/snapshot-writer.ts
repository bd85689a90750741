import { KEY_BYTES } from '@baton/kv';
import { Flag, NO_PARENT, rootOf } from './block-columns.ts';
import type { BlockTree } from './block-tree.ts';
import { ENGINE_TIERS } from './engine-tiers.ts';
import { SpecKind } from './event-fields.ts';
import type { GroupCopies } from './group-copies.ts';
import { MsgpackWriter } from './msgpack-writer.ts';

/** Blocks of one event. */
const MAX_RUN = 4096;
/** Copies of one block that are written; those beyond are as good as none. */
const MAX_COPIES = 255;

const mediumOfTier = ['GPU', 'CPU', 'STORAGE'];
const wordOfKind: Readonly<Record<number, string>> = {
  [SpecKind.FULL]: 'full_attention',
  [SpecKind.WINDOW]: 'sliding_window',
  [SpecKind.STATE]: 'mamba',
  [SpecKind.OTHER]: 'unknown',
};

/**
 * Writes what a tree of blocks knows as batches of events, so that whoever can follow an engine can follow this: each
 * chain from its beginning, a parent always before its children, copies beyond the first as events of their own. The
 * tokens of a block that ends a segment are not known any more; its key stands in for them.
 */
export function* writeSnapshot(
  tree: BlockTree,
  maxBytes: number,
): Generator<Uint8Array, void, undefined> {
  const batches = new BatchWriter(maxBytes);
  const events = new SnapshotEvents(tree, batches.writer);
  for (const write of events.all()) {
    write();
    const full = batches.countEvent();
    if (full) yield full;
  }
  const rest = batches.end();
  if (rest) yield rest;
}

/** Puts events together to batches of some size. */
class BatchWriter {
  readonly writer = new MsgpackWriter();
  readonly #maxBytes: number;
  #countPlace = 0;
  #events = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#begin();
  }

  /** An event was written. The batch, when it is as large as it may be. */
  countEvent(): Uint8Array | undefined {
    this.#events += 1;
    return this.writer.length < this.#maxBytes ? undefined : this.end();
  }

  end(): Uint8Array | undefined {
    if (this.#events === 0) return undefined;
    this.writer.setCount(this.#countPlace, this.#events);
    const batch = this.writer.take();
    this.#begin();
    return batch;
  }

  #begin(): void {
    this.#events = 0;
    this.writer.array(2);
    this.writer.float(0);
    this.#countPlace = this.writer.array(0);
  }
}

class SnapshotEvents {
  readonly #tree: BlockTree;
  readonly #writer: MsgpackWriter;
  readonly #isWritten: Uint8Array;

  constructor(tree: BlockTree, writer: MsgpackWriter) {
    this.#tree = tree;
    this.#writer = writer;
    this.#isWritten = new Uint8Array(tree.columns.names.idEnd);
  }

  /** Each of what is yielded writes one event. */
  *all(): Generator<() => void, void, undefined> {
    for (const group of this.#tree.groups) yield () => this.#named(group, 0, []);
    const [main] = this.#tree.held.full;
    if (main) {
      for (const leaf of this.#leaves()) {
        for (const run of this.#runs(leaf)) yield () => this.#run(main, run);
      }
    }
    for (const group of this.#tree.groups) {
      for (let tier = 0; tier < ENGINE_TIERS; tier += 1) {
        for (const ids of this.#copies(group, tier, group === main)) {
          yield () => this.#named(group, tier, ids);
        }
      }
    }
  }

  /** Blocks after which no other one comes. */
  *#leaves(): Generator<number, void, undefined> {
    const { columns } = this.#tree;
    const hasChild = new Uint8Array(columns.names.idEnd);
    for (let id = 0; id < hasChild.length; id += 1) {
      const parent = columns.parent[id] as number;
      if (columns.has(id, Flag.DESCRIBED) && parent >= 0) hasChild[parent] = 1;
    }
    for (let id = 0; id < hasChild.length; id += 1) {
      if (hasChild[id] === 0 && columns.has(id, Flag.DESCRIBED)) yield id;
    }
  }

  /** What is not written yet of the chain up to a block, in runs of blocks of one size. */
  *#runs(leaf: number): Generator<number[], void, undefined> {
    const { columns } = this.#tree;
    const path: number[] = [];
    for (let id = leaf; id >= 0 && columns.has(id, Flag.DESCRIBED);) {
      if (this.#isWritten[id] !== 0) break;
      this.#isWritten[id] = 1;
      path.push(id);
      id = columns.parent[id] as number;
    }
    path.reverse();
    for (let from = 0; from < path.length;) {
      const length = columns.length(path[from] as number);
      let end = from + 1;
      while (end < path.length && end - from < MAX_RUN) {
        if (columns.length(path[end] as number) !== length) break;
        end += 1;
      }
      yield path.slice(from, end);
      from = end;
    }
  }

  /** Lists of blocks with a copy that no run tells of; a block is in as many as it has such copies. */
  *#copies(
    group: GroupCopies,
    tier: number,
    isMain: boolean,
  ): Generator<number[], void, undefined> {
    const { columns } = this.#tree;
    const told = (id: number): number => (isMain && columns.has(id, Flag.DESCRIBED) ? 1 : 0);
    let left: number[] = [];
    for (let id = 0; id < columns.names.idEnd; id += 1) {
      if (columns.has(id, Flag.LIVE) && group.copies(id, tier) > told(id)) left.push(id);
    }
    for (let copy = 1; left.length > 0 && copy <= MAX_COPIES; copy += 1) {
      for (let from = 0; from < left.length; from += MAX_RUN)
        yield left.slice(from, from + MAX_RUN);
      left = left.filter((id) => group.copies(id, tier) > told(id) + copy);
    }
  }

  /** An event that says no more of blocks than their names; without any it says what the group is. */
  #named(group: GroupCopies, tier: number, ids: readonly number[]): void {
    const writer = this.#writer;
    writer.map(9);
    this.#head(ids);
    writer.text('parent_block_hash');
    writer.nil();
    writer.text('token_ids');
    writer.array(0);
    writer.text('block_size');
    writer.uint(group.role === 'full' ? 0 : group.blockTokens);
    writer.text('medium');
    writer.text(mediumOfTier[tier] ?? '');
    this.#group(group);
  }

  #run(group: GroupCopies, ids: readonly number[]): void {
    const writer = this.#writer;
    const { columns, roots, segments } = this.#tree;
    const [first = 0] = ids;
    const parent = columns.parent[first] as number;
    const root = parent < NO_PARENT ? roots.at(rootOf(parent)) : undefined;
    writer.map(12);
    this.#head(ids);
    writer.text('parent_block_hash');
    if (root) writer.nil();
    else writer.blockName(columns.names, parent);
    writer.text('token_ids');
    this.#tokens(ids);
    writer.text('block_size');
    writer.uint(columns.length(first));
    writer.text('lora_name');
    this.#optional(root?.adapter);
    writer.text('extra_keys');
    this.#extraKeys(ids, root?.adapter, root?.salt);
    this.#group(group);
    const ends = ids.filter((id) => columns.endsSegment(id));
    const keys = new Uint8Array(ends.length * KEY_BYTES);
    const view = new DataView(keys.buffer);
    ends.forEach((id, i) => segments.write(columns.slot[id] as number, view, i * KEY_BYTES));
    writer.text('segment_keys');
    writer.binary(keys);
    writer.text('tiers');
    writer.binary(Uint8Array.from(ids, (id) => group.tiers[id] ?? 0));
  }

  #head(ids: readonly number[]): void {
    this.#writer.text('type');
    this.#writer.text('BlockStored');
    this.#writer.text('block_hashes');
    this.#writer.array(ids.length);
    for (const id of ids) this.#writer.blockName(this.#tree.columns.names, id);
  }

  #group(group: GroupCopies): void {
    const writer = this.#writer;
    writer.text('group_idx');
    writer.uint(group.index);
    writer.text('kv_cache_spec_kind');
    this.#optional(wordOfKind[group.specKind]);
    writer.text('kv_cache_spec_sliding_window');
    if (group.windowTokens === 0) writer.nil();
    else writer.uint(group.windowTokens);
  }

  /** Of those blocks that do not end a segment. */
  #tokens(ids: readonly number[]): void {
    const { columns, content } = this.#tree;
    const inside = ids.filter((id) => !columns.endsSegment(id));
    this.#writer.array(inside.reduce((sum, id) => sum + columns.length(id), 0));
    for (const id of inside) content.writeTokens(id, this.#writer);
  }

  #extraKeys(ids: readonly number[], adapter: string | undefined, salt: string | undefined): void {
    const writer = this.#writer;
    writer.array(ids.length);
    ids.forEach((id, i) => {
      const media = this.#tree.keys.mediaOf(id);
      const texts = i === 0 ? [adapter, salt].filter((text) => text !== undefined) : [];
      if (media.length + texts.length === 0) {
        writer.nil();
        return;
      }
      writer.array(media.length + texts.length);
      if (texts.length > 0 && adapter !== undefined) writer.text(adapter);
      for (const item of media) {
        writer.array(2);
        writer.text(item.id);
        writer.uint(item.offset);
      }
      if (texts.length > 0 && salt !== undefined) writer.text(salt);
    });
  }

  #optional(text: string | undefined): void {
    if (text === undefined) this.#writer.nil();
    else this.#writer.text(text);
  }
}
