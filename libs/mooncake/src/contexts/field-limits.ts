/** Characters of a model, an instance, a salt and the like. */
export const MAX_NAME = 1024;
/** Tokens of a block; what a chain of blocks can be cut into. */
export const MAX_BLOCK_SIZE = 65_535;
