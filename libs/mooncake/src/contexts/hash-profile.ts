import type { Fields } from '../wire/fields.ts';
import { MAX_NAME } from './field-limits.ts';

/** How an engine computes its hashes. All members are text, and only compared. */
export interface HashProfile {
  strategy: string;
  algorithm: string;
  pythonHashSeed: string;
  indexProjection: string;
}

/** What clients call the members. */
const members = [
  ['strategy', 'strategy'],
  ['algorithm', 'algorithm'],
  ['python_hash_seed', 'pythonHashSeed'],
  ['index_projection', 'indexProjection'],
] as const satisfies readonly [string, keyof HashProfile][];

const names = members.map(([name]) => name);

/** Blocks are named by the low 64 bits of their digests, also where a whole digest is given. */
export function isLow64(profile: HashProfile | undefined): boolean {
  return profile?.indexProjection === 'low64_be';
}

/** @throws BatonError of a refusal */
export function readHashProfile(fields: Fields): HashProfile | undefined {
  const profile = fields.object(['hash_profile'], names);
  if (profile === undefined) return undefined;
  const values = members.map(([name, member]) => [member, profile.text([name], MAX_NAME)] as const);
  return Object.fromEntries(values) as unknown as HashProfile;
}

/** The members by the names that clients use; all undefined without a profile. */
export function profileEntries(
  profile: HashProfile | undefined,
): (readonly [string, string | undefined])[] {
  return members.map(([name, member]) => [name, profile?.[member]] as const);
}

/** As clients send it. */
export function profileView(profile: HashProfile | undefined): object | null {
  return profile === undefined ? null : Object.fromEntries(profileEntries(profile));
}
