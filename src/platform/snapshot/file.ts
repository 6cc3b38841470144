/** A snapshot in a file: a line that names the format, a line with the encryption, then the compressed lines. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { Readable, type Transform, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { constants, createZstdCompress, createZstdDecompress } from "node:zlib";
import { z } from "zod";
import { OperatorError } from "../errors.ts";
import { createEncryption, decrypt, Encryption, encrypt } from "./cipher.ts";
import { createRowDigest } from "./digest.ts";
import type { Manifest, Part, TableEnd } from "./read.ts";

const magic = "SIGNALBOX-BACKUP 1\n";
const Header = z.object({ encryption: Encryption.nullable() });

/** The last line. Without it, the file is not complete. */
interface Completion {
  tables: number;
  rows: number;
  /** SHA-256 of all lines before this one. */
  digest: string;
}

export interface FileSummary extends Completion {
  manifest: Manifest;
}

/** Writes the parts to a new file and waits until the disk has them. */
export async function writeFile(
  path: string,
  parts: AsyncIterable<Part>,
  passphrase?: string,
): Promise<void> {
  const encryption = passphrase === undefined ? null : createEncryption();
  const header = Buffer.from(`${magic}${JSON.stringify({ encryption })}\n`);
  const file = await open(path, "wx", 0o600);
  try {
    await file.write(header);
    const compress = createZstdCompress({
      params: { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 },
    });
    const steps: Transform[] = encryption
      ? [compress, await encrypt(passphrase!, encryption, header)]
      : [compress];
    const output = new Writable({
      write: (chunk: Buffer, _encoding, done) => void file.appendFile(chunk).then(() => done(), done),
    });
    await pipeline([Readable.from(renderLines(parts), { highWaterMark: 1 }), ...steps, output]);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function* renderLines(parts: AsyncIterable<Part>): AsyncGenerator<Buffer> {
  const digest = createHash("sha256");
  let [tables, rows] = [0, 0];
  for await (const part of parts) {
    const text = `${part.kind === "rows" ? part.lines.join("\n") : JSON.stringify(toControlLine(part))}\n`;
    if (part.kind === "rows") rows += part.lines.length;
    if (part.kind === "end") tables++;
    const bytes = Buffer.from(text);
    digest.update(bytes);
    yield bytes;
  }
  const complete: Completion = { tables, rows, digest: digest.digest("hex") };
  yield Buffer.from(`${JSON.stringify({ complete })}\n`);
}

const toControlLine = (part: Exclude<Part, { kind: "rows" }>) =>
  part.kind === "manifest" ? { manifest: part.manifest } : { end: part.end };

/** Rows of this many bytes are passed on together. */
const batchBytes = 1024 * 1024;

/**
 * Reads the parts of a file, compares each table with its digest, and throws at the end when the file is not complete.
 * Returns the summary.
 */
export async function* readFile(path: string, passphrase?: string): AsyncGenerator<Part, FileSummary> {
  const { encryption, header, body } = await openFile(path);
  if (encryption && passphrase === undefined)
    throw new OperatorError("The backup is encrypted. Name its key with --key-file, or use --passphrase.");
  const steps = encryption ? [await decrypt(passphrase!, encryption, header)] : [];
  const decompress = createZstdDecompress();
  const done = pipeline([body, ...steps, decompress]);
  done.catch(() => {});
  try {
    const summary = yield* parseLines(splitLines(decompress));
    await done;
    return summary;
  } catch (error) {
    body.destroy();
    // The error of an earlier step ends the later ones too, and is the reason.
    const reason = await done.then(
      () => error,
      (cause: unknown) => (cause instanceof OperatorError ? cause : error),
    );
    if (reason instanceof OperatorError) throw reason;
    throw new OperatorError(
      `The backup ${path} is damaged or cut off (${(reason as Error).message}). Use another copy of the file.`,
      { cause: reason },
    );
  }
}

interface OpenedFile {
  encryption: Encryption | null;
  header: Buffer;
  body: Readable;
}

const maxHeaderBytes = 4_096;

async function openFile(path: string): Promise<OpenedFile> {
  const { buffer, bytesRead } = await readStart(path).catch((error: NodeJS.ErrnoException) => {
    throw new OperatorError(`${path} cannot be read (${error.code}). Check the path and its permissions.`);
  });
  const text = buffer.toString("latin1", 0, bytesRead);
  const end = text.indexOf("\n", magic.length);
  const isOurs = text.startsWith(magic) && end > 0;
  const parsed = isOurs ? Header.safeParse(parseJson(text.slice(magic.length, end))) : undefined;
  if (!parsed?.success)
    throw new OperatorError(
      text.startsWith("SIGNALBOX-BACKUP ")
        ? `${path} has a format that this version does not know. Restore it with the version that made it.`
        : `${path} is not a backup of Signalbox.`,
    );
  return {
    encryption: parsed.data.encryption,
    header: Buffer.from(buffer.subarray(0, end + 1)),
    body: createReadStream(path, { start: end + 1 }),
  };
}

async function readStart(path: string) {
  await using file = await open(path);
  return await file.read(Buffer.alloc(maxHeaderBytes), 0, maxHeaderBytes, 0);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function* splitLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      yield Buffer.concat([...waiting, chunk.subarray(from, at + 1)]);
      waiting = [];
      from = at + 1;
    }
    if (from < chunk.length) waiting.push(chunk.subarray(from));
  }
  if (waiting.length > 0) throw new Error("the last line is not complete");
}

type ControlLine = { manifest: Manifest } | { end: TableEnd } | { complete: Completion };

async function* parseLines(lines: AsyncIterable<Buffer>): AsyncGenerator<Part, FileSummary> {
  const whole = createHash("sha256");
  let manifest: Manifest | undefined;
  let complete: Completion | undefined;
  let [tables, rows, bytes] = [0, 0, 0];
  let batch: string[] = [];
  let digest = createRowDigest();
  const takeBatch = (): Part => {
    const part: Part = { kind: "rows", table: manifest!.tables[tables]!.name, lines: batch };
    digest.add(batch);
    [batch, bytes] = [[], 0];
    return part;
  };
  for await (const line of lines) {
    if (complete) throw new Error("something follows its end");
    if (line[0] === 91) {
      if (!manifest?.tables[tables]) throw new Error("a row belongs to no table");
      batch.push(line.toString("utf8", 0, line.length - 1));
      bytes += line.length;
      whole.update(line);
      if (bytes >= batchBytes) yield takeBatch();
      continue;
    }
    if (batch.length > 0) yield takeBatch();
    const control = JSON.parse(line.toString()) as ControlLine;
    if ("complete" in control) {
      complete = control.complete;
      continue;
    }
    whole.update(line);
    if ("manifest" in control) {
      manifest = control.manifest;
      yield { kind: "manifest", manifest };
      continue;
    }
    const { end } = control;
    if (end.table !== manifest?.tables[tables]?.name) throw new Error("the tables are in another order");
    if (end.rows !== digest.rows || end.digest !== digest.render())
      throw new Error(`the rows of ${end.table} are not those that were written`);
    yield { kind: "end", end };
    tables++;
    rows += end.rows;
    digest = createRowDigest();
  }
  if (!complete || !manifest) throw new Error("its end is missing");
  if (complete.tables !== tables || complete.rows !== rows || complete.digest !== whole.digest("hex"))
    throw new Error("its digest differs");
  return { manifest, ...complete };
}

/** Reads a whole file, checks it, and returns what it contains. */
export async function checkFile(path: string, passphrase?: string): Promise<FileSummary> {
  const parts = readFile(path, passphrase);
  for (;;) {
    const { done, value } = await parts.next();
    if (done) return value;
  }
}
