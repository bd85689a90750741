/** Codes of Baton's registry are in lower case, those of Node in upper case. */
const OWN_CODE = /^[a-z][a-z0-9_]*$/;

/** A fault as one sentence for people, when its kind is known well enough that a stack adds nothing. */
export function describeFault(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, address, port, path } = error as NodeJS.ErrnoException & {
    address?: string;
    port?: number;
  };
  // Node gives a Unix socket port -1.
  const where =
    port === undefined || port < 0 ? (address ?? path ?? 'the address') : `${address}:${port}`;
  switch (code) {
    case 'EADDRINUSE':
      return port === undefined || port < 0
        ? `${where} is in use by another process`
        : `port ${port} on ${address} is in use by another process; choose another one`;
    case 'EADDRNOTAVAIL':
      return `${where} is not an address of this machine`;
    case 'EACCES':
      return `no permission to use ${where}`;
    default:
      return typeof code === 'string' && OWN_CODE.test(code) ? error.message : undefined;
  }
}
