import { type DestinationStream, type Logger, pino } from "pino";
import { prettyLines } from "./pretty-log.ts";

export type Log = Logger;

// A second protection: values with these names should never be passed to the log.
const secretKeys = [
  "password",
  "newPassword",
  "token",
  "secret",
  "clientSecret",
  "key",
  "authorization",
  "cookie",
  "apiKey",
  "accessToken",
  "refreshToken",
];

export type LogFormat = "pretty" | "json";

/**
 * Writes lines to stderr in batches, at the latest after a tenth of a second and when the process ends. Several processes
 * can write to one pipe: up to 4 KiB are not mixed with what others write.
 */
function openStderr(format: LogFormat): DestinationStream {
  const stderr = pino.destination({
    fd: 2,
    sync: false,
    minLength: 4095,
    maxWrite: 4096,
    periodicFlush: 100,
  });
  return format === "pretty" ? prettyLines(stderr, process.stderr.hasColors?.() ?? false) : stderr;
}

/** `pretty` on a terminal, `json` everywhere else. */
const defaultFormat = (): LogFormat => (process.stderr.isTTY ? "pretty" : "json");

export function createLog(
  level: string,
  to: DestinationStream | { format: LogFormat | undefined; process?: number | undefined } = {
    format: undefined,
  },
): Log {
  const destination = "write" in to ? to : openStderr(to.format ?? defaultFormat());
  const process = "write" in to ? undefined : to.process;
  return pino(
    {
      level,
      // Where several processes write to one log, each line says which one wrote it.
      base: process === undefined ? undefined : { process },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      // A database error contains the values of the statement, which must not be logged.
      serializers: { err: describeError },
      redact: {
        paths: [
          ...secretKeys,
          ...secretKeys.map((key) => `*.${key}`),
          "*.headers.authorization",
          "*.headers.cookie",
        ],
        censor: "[redacted]",
      },
    },
    destination,
  );
}

/**
 * For lines that are written with every request: the fields are fixed and none is secret, so looking for
 * secrets in each, as for other lines, would cost a tenth of a small request.
 */
export function createLineLog(log: Log): (fields: object) => void {
  const stream = (log as unknown as Record<symbol, DestinationStream>)[pino.symbols.streamSym]!;
  const bindings = log.bindings();
  const fixed = Object.keys(bindings).length > 0 ? `${JSON.stringify(bindings).slice(1, -1)},` : "";
  let second = 0;
  let time = "";
  return (fields) => {
    if (!log.isLevelEnabled("info")) return;
    const now = Date.now();
    const millisecond = now % 1000;
    if (now - millisecond !== second) {
      second = now - millisecond;
      time = new Date(second).toISOString().slice(0, -4);
    }
    const at = `${time}${String(millisecond).padStart(3, "0")}Z`;
    stream.write(`{"level":"info","time":"${at}",${fixed}${JSON.stringify(fields).slice(1)}\n`);
  };
}

function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack, code, constraint, cause } = error as Error & {
    code?: string;
    constraint?: string;
  };
  return { name, message, code, constraint, stack, ...(cause ? { cause: describeError(cause) } : {}) };
}
