import { BatonError, plainEngineUrl } from '@baton/kv';
import { Agent } from 'undici';

/** What an engine asks of whoever calls it. */
export interface Credentials {
  /** Goes along as `Authorization: Bearer`. */
  apiKey?: string | undefined;
  /** PEM certificates of who signed the engine's own, where that is nobody whom Node.js knows. */
  ca?: string | undefined;
}

interface Access {
  headers: Readonly<Record<string, string>>;
  /** In place of the authorities that Node.js knows. */
  ca: string | undefined;
  /** For questions that are no client's requests; undefined where any will do. */
  agent: Agent | undefined;
}

const none: Access = { headers: {}, ca: undefined, agent: undefined };

/** What opens the doors of engines: for each by its URL, for all others by what is given for them. */
export class EngineAccess {
  readonly #others: Access;
  readonly #byUrl = new Map<string, Access>();

  /** @throws BatonError config_invalid for a key or a certificate that is none */
  constructor(others: Credentials = {}) {
    this.#others = accessOf(others, none);
  }

  /**
   * From now on, for what is asked of this engine. What is not given is as for all others.
   *
   * @param engineUrl however it is written
   * @throws BatonError config_invalid for a key or a certificate that is none
   */
  allow(engineUrl: string, credentials: Credentials): void {
    const access = accessOf(credentials, this.#others);
    this.forget(engineUrl);
    this.#byUrl.set(plainly(engineUrl), access);
  }

  forget(engineUrl: string): void {
    const plain = plainly(engineUrl);
    const access = this.#byUrl.get(plain);
    this.#byUrl.delete(plain);
    if (access?.agent !== this.#others.agent) void access?.agent?.close();
  }

  /** @param engineUrl however it is written */
  of(engineUrl: string): Access {
    return this.#byUrl.get(plainly(engineUrl)) ?? this.#others;
  }
}

/** What announces itself may write its URL as it likes. */
function plainly(engineUrl: string): string {
  return plainEngineUrl(engineUrl) ?? engineUrl;
}

function accessOf({ apiKey, ca }: Credentials, others: Access): Access {
  // What a header can carry.
  if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw invalid('apiKey', 'must be one key, in visible ASCII characters');
  }
  if (ca !== undefined && !ca.includes('-----BEGIN CERTIFICATE-----')) {
    throw invalid('ca', 'must be a certificate in PEM');
  }
  return {
    headers: apiKey === undefined ? others.headers : { authorization: `Bearer ${apiKey}` },
    ca: ca ?? others.ca,
    agent: ca === undefined ? others.agent : new Agent({ connect: { ca } }),
  };
}

function invalid(field: keyof Credentials, why: string): BatonError {
  return new BatonError('config_invalid', `${field} ${why}`, { details: { field } });
}
