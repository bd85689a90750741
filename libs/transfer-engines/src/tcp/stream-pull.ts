import { baton } from '@baton/proto';
import { keyAt, sameKey } from '@baton/kv';
import type { PagePayload, PulledTail, SourceRefusal } from '../transfer-engine.ts';
import type { StreamFault } from './frame-receiver.ts';
import { FrameType } from './frame.ts';
import type { FrameHeader } from './frame.ts';
import { MAX_REFUSAL_BYTES, MAX_STATE_BYTES } from './limits.ts';
import type { ConnectionUser } from './pull-connection.ts';

/** One stream's share of a pull. */
export interface StreamShare {
  /** Packed keys in the order in which they come. */
  keys: Uint8Array;
  /** Memory for the payload of each key. */
  spaces: readonly Uint8Array[];
  /** Memory for the tail, when this stream brings it. */
  tailSpace: Uint8Array | undefined;
}

export interface StreamEvents {
  /** Bytes came in. */
  heard(): void;
  segment(index: number, payload: PagePayload): void;
  tail(tail: PulledTail): void;
  /** Everything was sent, or the source refused: the connection is free again. */
  ended(refusal: SourceRefusal | undefined): void;
  /** The connection is gone, and nothing is read any more. */
  closed(fault: StreamFault | undefined, error: Error | undefined): void;
}

const violation = (message: string): StreamFault => ({ code: 'protocol_violation', message });

/** Follows one stream's answer: what may come next, and where it goes. Everything else is a violation. */
export class StreamPull implements ConnectionUser {
  readonly #share: StreamShare;
  readonly #events: StreamEvents;
  readonly #count: number;
  #next = 0;
  #state: Uint8Array | undefined;
  #hasTail = false;
  #fault: StreamFault | undefined;
  /** True once the source has said anything. */
  hasAnswered = false;

  constructor(share: StreamShare, events: StreamEvents) {
    this.#share = share;
    this.#events = events;
    this.#count = share.spaces.length;
  }

  /** Segments that have arrived; the next one has this index. */
  get next(): number {
    return this.#next;
  }

  heard(): void {
    this.#events.heard();
  }

  place(header: FrameHeader): Uint8Array | StreamFault {
    this.hasAnswered = true;
    switch (header.type) {
      case FrameType.SEGMENT:
        return this.#placeSegment(header);
      case FrameType.STATE:
        if (this.#awaitsTail && this.#state === undefined && header.bytes <= MAX_STATE_BYTES) {
          return new Uint8Array(header.bytes);
        }
        break;
      case FrameType.TAIL:
        return this.#placeTail(header);
      case FrameType.REFUSED:
        if (header.bytes <= MAX_REFUSAL_BYTES) return new Uint8Array(header.bytes);
        break;
      case FrameType.KEEP_ALIVE:
      case FrameType.END:
        if (header.bytes === 0) return new Uint8Array(0);
        break;
    }
    return violation(`frame of type ${header.type} with ${header.bytes} bytes is not expected`);
  }

  frame(header: FrameHeader, payload: Uint8Array): StreamFault | undefined {
    const { bytes, checksum } = header;
    switch (header.type) {
      case FrameType.SEGMENT:
        this.#next += 1;
        this.#events.segment(header.index, { bytes, checksum });
        return undefined;
      case FrameType.STATE:
        this.#state = payload;
        return undefined;
      case FrameType.TAIL:
        this.#hasTail = true;
        this.#events.tail({ bytes, checksum, state: this.#state ?? new Uint8Array() });
        return undefined;
      case FrameType.REFUSED:
        return this.#refused(payload);
      case FrameType.END:
        if (this.#next < this.#count || this.#awaitsTail) return violation('the answer ends early');
        this.#events.ended(undefined);
        return undefined;
      default:
        return undefined;
    }
  }

  fault(fault: StreamFault): void {
    this.#fault = fault;
  }

  closed(error: Error | undefined): void {
    this.#events.closed(this.#fault, error);
  }

  /** All segments are here, the tail is not. */
  get #awaitsTail(): boolean {
    const isNext = this.#next === this.#count && !this.#hasTail;
    return isNext && this.#share.tailSpace !== undefined;
  }

  #placeSegment(header: FrameHeader): Uint8Array | StreamFault {
    const space = this.#share.spaces[this.#next];
    if (header.index !== this.#next || space === undefined) {
      return violation(`segment ${header.index} where ${this.#next} of ${this.#count} is due`);
    }
    if (!sameKey(header.key, keyAt(this.#share.keys, this.#next))) {
      return violation(`segment ${header.index} has another key`);
    }
    return this.#fit(space, header, 1);
  }

  #placeTail(header: FrameHeader): Uint8Array | StreamFault {
    const space = this.#share.tailSpace;
    if (!this.#awaitsTail || this.#state === undefined || space === undefined) {
      return violation('a tail is not due');
    }
    return this.#fit(space, header, 0);
  }

  #fit(space: Uint8Array, header: FrameHeader, atLeast: number): Uint8Array | StreamFault {
    if (header.bytes < atLeast || header.bytes > space.length) {
      return violation(`payload of ${header.bytes} bytes for a page of ${space.length}`);
    }
    return space.subarray(0, header.bytes);
  }

  #refused(payload: Uint8Array): StreamFault | undefined {
    try {
      const { code, message } = baton.v1.LinkRefused.decode(payload);
      this.#events.ended({ code, message });
      return undefined;
    } catch {
      return violation('a refusal that cannot be read');
    }
  }
}
