/** What the link needs of a logger; a pino logger is one. */
export interface LinkLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}
