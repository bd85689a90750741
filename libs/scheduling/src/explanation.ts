/** Candidates of one comparison that an explanation keeps. */
export const MAX_EXPLAINED_CANDIDATES = 16;
