/**
 * The DRAM tier: an arena that engine and agent both map, and the book of its pages.
 *
 * Data flow: reserve a page → somebody writes it → commit under its key → readers hold it → least recently used ones
 * give way. The arena knows bytes and nothing else, the page store pages and nothing of bytes.
 *
 * Invariants: a reservation is all or nothing; a page that is being written, or that anybody holds, is never handed
 * out again; a key is held by one page. At rest nothing is reserved, written or held by an owner.
 *
 * Cost: the arena's memory is taken at creation; a page store operation is O(1), about 1 µs.
 *
 * @module
 */
export { createArena, openArena, removeStaleArenas } from './arena.ts';
export type { Arena, CreateArenaOptions, OpenArenaOptions } from './arena.ts';
export { arenaFolders, placeArena } from './place-arena.ts';
export { PageStore } from './page-store.ts';
export type { PageCounts, PagePayload, PageStoreListener } from './page-store.ts';
