/** Data of the event that ends a stream. */
export const DONE = '[DONE]';

export const SSE_CONTENT_TYPE = 'text/event-stream; charset=utf-8';

/** One event; `data` is one line, as every JSON text without line breaks is. */
export function encodeEvent(data: string): string {
  return `data: ${data}\n\n`;
}
