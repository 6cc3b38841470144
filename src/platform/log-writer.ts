import { write, writeSync } from "node:fs";

export interface LogWriterOptions {
  fd: number;
  /** Lines are joined up to this size. */
  maxWriteBytes: number;
  /** How many bytes may wait while nobody reads the log. Later lines are dropped. */
  maxWaitingBytes: number;
  /** Fields of the line that says how many lines were dropped. */
  fields?: object;
  /** Makes sure that a write to a reader who does not read fails instead of waiting. Called before each write. */
  keepFromBlocking?(): void;
  /** For tests. */
  system?: { write: typeof write; writeSync: typeof writeSync };
}

/** Lines wait for others this long. */
const collectMs = 100;
/** How long to wait until a reader that is slow can take more. It doubles while the reader takes nothing. */
const retryMs = { first: 2, max: 100 };
/** How long the end of the process waits for a slow reader. */
const maxEndMs = 1_000;

const lineEnd = "\n".charCodeAt(0);

const isBusy = (error: unknown) =>
  ["EAGAIN", "EBUSY"].includes((error as NodeJS.ErrnoException | undefined)?.code ?? "");

/**
 * Writes the lines of the log without blocking the process, joined into few writes. Of the end of the process, a log that
 * cannot be written takes at most a second.
 */
export function createLogWriter({
  fd,
  maxWriteBytes,
  maxWaitingBytes,
  fields = {},
  keepFromBlocking = () => {},
  system = { write, writeSync },
}: LogWriterOptions): { write(line: string): void; end(): void } {
  let gathered = "";
  let gatheredBytes = 0;
  /** In the order in which they are written. The first one may be under way. */
  let batches: Buffer[] = [];
  let waitingBytes = 0;
  let underWaySince: number | undefined;
  let isCollecting = false;
  let isRetrying = false;
  let nextRetryMs = retryMs.first;
  /** What was written ends within a line. */
  let endsInLine = false;
  /** The rest of that line was dropped. */
  let isLineCut = false;
  let isBroken = false;
  let dropped = 0;

  function add(line: string, length: number): void {
    if (gatheredBytes + length > maxWriteBytes) closeBatch();
    gathered += line;
    gatheredBytes += length;
    waitingBytes += length;
  }

  function closeBatch(): void {
    if (gatheredBytes === 0) return;
    batches.push(Buffer.from(gathered));
    gathered = "";
    gatheredBytes = 0;
  }

  function writeLater(): void {
    if (isCollecting) return;
    isCollecting = true;
    setTimeout(() => {
      isCollecting = false;
      closeBatch();
      writeFirst();
    }, collectMs).unref();
  }

  function retryLater(): void {
    isRetrying = true;
    setTimeout(() => {
      isRetrying = false;
      writeFirst();
    }, nextRetryMs).unref();
    nextRetryMs = Math.min(nextRetryMs * 2, retryMs.max);
  }

  function writeFirst(): void {
    if (batches.length === 0 || isRetrying || underWaySince !== undefined) return;
    endCutLine();
    const first = batches[0]!;
    underWaySince = performance.now();
    keepFromBlocking();
    system.write(fd, first, 0, first.length, null, (error, written) => {
      underWaySince = undefined;
      if (isBroken) return;
      if (isBusy(error)) return retryLater();
      if (error?.code === "EPIPE") return giveUp();
      if (error) drop();
      else advance(written);
      writeFirst();
    });
  }

  /** The next line does not become a part of one whose end was dropped. */
  function endCutLine(): void {
    if (!isLineCut) return;
    isLineCut = false;
    batches[0] = Buffer.concat([Buffer.from("\n"), batches[0]!]);
    waitingBytes++;
  }

  /** Nobody will read this log again. */
  function giveUp(): void {
    isBroken = true;
    batches = [];
    gathered = "";
    gatheredBytes = 0;
  }

  /** For example, the disk is full. Later lines may have room again. */
  function drop(): void {
    const lost = batches.shift()!;
    waitingBytes -= lost.length;
    dropped += lost.toString().trim().split("\n").length;
    isLineCut = endsInLine;
  }

  function advance(written: number): void {
    const first = batches[0]!;
    waitingBytes -= written;
    nextRetryMs = retryMs.first;
    if (written > 0) endsInLine = first[written - 1] !== lineEnd;
    if (written < first.length) batches[0] = first.subarray(written);
    else batches.shift();
    if (dropped === 0 || waitingBytes > maxWaitingBytes / 2) return;
    addDropped();
    writeLater();
  }

  function addDropped(): void {
    const time = new Date().toISOString();
    const msg = "lines of the log were dropped: they could not be written";
    const line = `${JSON.stringify({ level: "warn", time, ...fields, lines: dropped, msg })}\n`;
    dropped = 0;
    add(line, line.length);
  }

  return {
    write(line) {
      if (isBroken) return;
      const length = Buffer.byteLength(line);
      if (waitingBytes + length > maxWaitingBytes) {
        dropped++;
        return;
      }
      add(line, length);
      writeLater();
      writeFirst();
    },
    end() {
      if (dropped > 0) addDropped();
      closeBatch();
      const isUnderWay = underWaySince !== undefined;
      // A write that is under way is finished by the system. One that takes this long waits for a reader who does not read.
      const isStuck = isUnderWay && performance.now() - underWaySince! > maxEndMs;
      if (!isUnderWay && batches.length > 0) endCutLine();
      const rest = isUnderWay ? batches.slice(1) : batches;
      giveUp();
      if (isStuck) return;
      const endsAt = performance.now() + maxEndMs;
      while (rest.length > 0 && performance.now() < endsAt) {
        try {
          keepFromBlocking();
          const left = rest[0]!.subarray(system.writeSync(fd, rest[0]!));
          if (left.length > 0) rest[0] = left;
          else rest.shift();
        } catch (error) {
          if (!isBusy(error)) return;
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
        }
      }
    },
  };
}
