/** @module Not yet built. */
export {};
