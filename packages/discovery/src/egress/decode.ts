import { PassThrough, pipeline, Readable, type Transform } from "node:stream";
import zlib from "node:zlib";
import { EgressError } from "./errors.ts";

/** No honest server uses more layers. */
const maxLayers = 2;
/** How many bytes compressed data may exceed the decoded data: headers and checksums of small bodies. */
const slackBytes = 64 * 1024;

const decoders: Readonly<Record<string, (firstByte: number) => Transform>> = {
  gzip: () => zlib.createGunzip(),
  br: () => zlib.createBrotliDecompress(),
  // Servers mean either of two formats by "deflate"; the zlib one always has 8 in its low nibble.
  deflate: (first) => ((first & 0x0f) === 8 ? zlib.createInflate() : zlib.createInflateRaw()),
  // A frame may ask for a window of 128 MiB; RFC 9659 allows 8 MiB in HTTP.
  zstd: () => zlib.createZstdDecompress({ params: { [zlib.constants.ZSTD_d_windowLogMax]: 23 } }),
};

export const acceptEncoding = "gzip, deflate, br, zstd";

/** The layers named by `content-encoding`, innermost first. Throws when there are too many or one is unknown. */
export function parseContentEncodings(values: readonly string[], host: string): string[] {
  const layers = values
    .flatMap((value) => value.split(","))
    .map((name) =>
      name
        .trim()
        .toLowerCase()
        .replace(/^x-gzip$/, "gzip"),
    )
    .filter((name) => name !== "" && name !== "identity");
  if (layers.length > maxLayers) {
    throw new EgressError(
      "bad_encoding",
      `${host} sent a body that was encoded more than ${maxLayers} times over.`,
    );
  }
  if (!layers.every((name) => Object.hasOwn(decoders, name))) {
    throw new EgressError("bad_encoding", `${host} sent a body in an encoding that was not asked for.`);
  }
  return layers;
}

/**
 * The decoded bytes of a body, never more than `maxBytes` of them. Each layer is counted, so neither a body that
 * inflates nor one that deflates to nothing costs more than the limit; back-pressure keeps memory at a few chunks.
 */
export function decodeBody(
  body: AsyncIterable<Uint8Array>,
  layers: readonly string[],
  maxBytes: number,
  tooLarge: () => EgressError,
): AsyncIterable<Uint8Array> {
  let source: AsyncIterable<Uint8Array> = limitBytes(
    body,
    layers.length > 0 ? maxBytes + slackBytes : maxBytes,
    tooLarge,
  );
  for (const [index, name] of layers.toReversed().entries()) {
    const last = index === layers.length - 1;
    source = limitBytes(
      decodeWith(source, decoders[name]!),
      last ? maxBytes : maxBytes + slackBytes,
      tooLarge,
    );
  }
  return source;
}

async function* limitBytes(
  source: AsyncIterable<Uint8Array>,
  limit: number,
  tooLarge: () => EgressError,
): AsyncGenerator<Uint8Array> {
  let total = 0;
  for await (const chunk of source) {
    total += chunk.byteLength;
    if (total > limit) throw tooLarge();
    if (chunk.byteLength > 0) yield chunk;
  }
}

/** An empty body is empty in every encoding, so the decoder is made when the first byte is there. */
async function* decodeWith(
  source: AsyncIterable<Uint8Array>,
  decoder: (firstByte: number) => Transform,
): AsyncGenerator<Uint8Array> {
  const chunks = source[Symbol.asyncIterator]();
  const first = await chunks.next();
  if (first.done) return;
  async function* input() {
    yield first.value as Uint8Array;
    yield* { [Symbol.asyncIterator]: () => chunks };
  }
  const decoded = pipeline(
    Readable.from(input(), { objectMode: false }),
    decoder(first.value[0] ?? 0),
    new PassThrough(),
    () => {}, // The error comes out of the last stream too, which is where it is read.
  );
  yield* decoded as AsyncIterable<Uint8Array>;
}
