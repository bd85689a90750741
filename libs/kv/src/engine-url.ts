/**
 * The one way to write the URL of an engine: scheme, host and path, without a slash at its end, as in
 * `http://10.0.0.1:8000`.
 *
 * @returns undefined for what is no URL to which a path can be added: no http or https, a query, a fragment, white space,
 *   or a name and password, which no engine is sent and every log would show
 */
export function plainEngineUrl(text: string): string | undefined {
  const url = /\s/.test(text) ? null : URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  // What is empty behind ? or # is not in the parts, and would be in the way as well.
  if (/[?#]/.test(text) || url.username !== '' || url.password !== '') return undefined;
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}
