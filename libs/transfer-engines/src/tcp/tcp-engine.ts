import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { KEY_BYTES } from '@baton/kv';
import { formatAddress, parseAddress } from '../address.ts';
import { noTransfers } from '../counters.ts';
import { nothingMoved } from '../transfer-engine.ts';
import type {
  PageMemory,
  Pull,
  PullOrder,
  PullOutcome,
  SegmentSource,
  SourceRefusal,
  TransferCounters,
  TransferEngine,
  TransferLog,
} from '../transfer-engine.ts';
import { ConnectionPool } from './connection-pool.ts';
import { MAX_PULL_SEGMENTS, MAX_PULL_TIMEOUT_MS, tcpDefaults } from './limits.ts';
import type { TcpLimits } from './limits.ts';
import { ServeConnection } from './serve-connection.ts';
import { TcpPull } from './tcp-pull.ts';

export interface TcpEngineOptions {
  memory: PageMemory;
  source: SegmentSource;
  /** Digest of the KV layout; a puller with another one is refused. */
  layout: string;
  host: string;
  /** 0 takes a free one. */
  port: number;
  /** host:port that others are told, when it is not where this engine listens. */
  advertisedAddress?: string | undefined;
  limits?: Partial<TcpLimits> | undefined;
  log?: TransferLog | undefined;
}

/** Opens the tcp backend: listens for pulls of others and pulls from them. Rejects when it cannot listen. */
export async function openTcpEngine(options: TcpEngineOptions): Promise<TransferEngine> {
  const { memory, source, layout, log } = options;
  const limits = { ...tcpDefaults, ...options.limits };
  const counters = noTransfers();
  const pool = new ConnectionPool(limits);
  const served = new Set<ServeConnection>();
  const pulls = new Set<Pull>();
  let isClosed = false;

  const server = createServer({ noDelay: true }, (socket) => {
    const connection = new ServeConnection(socket, {
      source,
      memory,
      layout,
      limits,
      counters,
      log,
    });
    served.add(connection);
    socket.once('close', () => served.delete(connection));
  });
  server.maxConnections = limits.maxConnections;
  const port = await listening(server, options.host, options.port);

  return {
    backend: 'tcp',
    address: options.advertisedAddress ?? formatAddress(options.host, port),
    counters,
    pull(order, listener) {
      const address = parseAddress(order.address);
      if (isClosed) return refusedPull(closedRefusal);
      if (!address) return refusedPull(badAddress(order.address));
      const wrong = wrongOrder(order, memory);
      if (wrong) return refusedPull(wrong);
      if (pulls.size >= limits.maxPulls) return refusedPull(tooMany);
      const pull = new TcpPull(
        { pool, memory, layout, limits, counters },
        order,
        address,
        listener,
      );
      track(pull, pulls, counters);
      return pull;
    },
    async close() {
      isClosed = true;
      for (const pull of pulls) pull.cancel('the transfer engine closes');
      await Promise.all([...pulls].map((pull) => pull.done));
      pool.close();
      const stopped = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const connection of served) connection.destroy();
      await stopped;
    },
  };
}

const closedRefusal = { code: 'shutting_down', message: 'the transfer engine is closed' };

const tooMany = { code: 'queue_full', message: 'too many pulls at once' };

function badAddress(address: string): SourceRefusal {
  const message = `source address ${JSON.stringify(address.slice(0, 100))} is not host:port`;
  return { code: 'protocol_violation', message };
}

function track(pull: Pull, pulls: Set<Pull>, counters: TransferCounters): void {
  pulls.add(pull);
  counters.pullsStarted += 1;
  counters.pullsActive += 1;
  void pull.done.then((outcome: PullOutcome) => {
    pulls.delete(pull);
    counters.pullsActive -= 1;
    if (outcome.status === 'done') counters.pullsCompleted += 1;
    else counters.pullsFailed += 1;
  });
}

function wrongOrder(order: PullOrder, memory: PageMemory): SourceRefusal | undefined {
  const message = wrongField(order, memory.bytes.length / memory.pageBytes);
  return message === undefined ? undefined : { code: 'protocol_violation', message };
}

function wrongField(order: PullOrder, pageCount: number): string | undefined {
  const { keys, pages, tailPage, timeoutMs } = order;
  if (keys.length !== pages.length * KEY_BYTES) {
    return `${keys.length} bytes of keys for ${pages.length} pages`;
  }
  if (pages.length > MAX_PULL_SEGMENTS) return `more than ${MAX_PULL_SEGMENTS} segments`;
  const all = tailPage === undefined ? pages : [...pages, tailPage];
  if (all.length === 0) return 'neither keys nor a tail';
  if (!all.every((page) => Number.isInteger(page) && page >= 0 && page + 1 <= pageCount)) {
    return 'a page outside the memory';
  }
  if (new Set(all).size < all.length) return 'the same page twice';
  if (!(timeoutMs >= 1 && timeoutMs <= MAX_PULL_TIMEOUT_MS)) {
    return `timeoutMs must be 1 to ${MAX_PULL_TIMEOUT_MS}, not ${timeoutMs}`;
  }
  return undefined;
}

function refusedPull(refusal: SourceRefusal): Pull {
  return {
    done: Promise.resolve({ status: 'failed', ...refusal, ...nothingMoved }),
    cancel: () => undefined,
  };
}

function listening(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}
