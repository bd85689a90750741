/** What is needed of a logger; a pino logger is one. */
export interface KnowledgeLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
