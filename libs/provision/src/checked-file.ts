import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Transform, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

const readChunkBytes = 1024 * 1024;

/** What a file must be to be used. */
export interface FilePin {
  sizeBytes: number;
  /** Hexadecimal. */
  sha256: string;
}

/** True when the file is there and is, byte for byte, the pinned one. */
export async function matchesPin(
  file: string,
  pin: FilePin,
  signal?: AbortSignal,
): Promise<boolean> {
  const info = await stat(file).catch(() => undefined);
  if (info === undefined || !info.isFile() || info.size !== pin.sizeBytes) return false;
  return (await sha256OfFile(file, signal)) === pin.sha256;
}

async function sha256OfFile(file: string, signal?: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  const stream = createReadStream(file, {
    highWaterMark: readChunkBytes,
    ...(signal ? { signal } : {}),
  });
  for await (const chunk of stream) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

/** Writes a stream to a file and says whether what was written is the pinned content. */
export async function writeChecked(
  source: Readable,
  file: string,
  pin: FilePin,
  options: { mode: number; signal?: AbortSignal | undefined },
): Promise<boolean> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      sizeBytes += chunk.length;
      if (sizeBytes > pin.sizeBytes) return done(new Error(`${file} is longer than pinned`));
      hash.update(chunk);
      done(null, chunk);
    },
  });
  const sink = createWriteStream(file, { mode: options.mode });
  await pipeline(source, measure, sink, options.signal ? { signal: options.signal } : {});
  return sizeBytes === pin.sizeBytes && hash.digest('hex') === pin.sha256;
}
