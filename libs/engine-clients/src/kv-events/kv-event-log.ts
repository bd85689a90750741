/** What is said of a stream of KV events; a pino logger is one. */
export interface KvEventLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}
