import { type DestinationStream, type Logger, pino } from "pino";
import { createLogWriter } from "./log-writer.ts";
import { prettyLines } from "./pretty-log.ts";
import { createStackReader } from "./stack.ts";

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

const maxWriteBytes = {
  alone: 64 * 1024,
  /** Several processes write to one pipe. The system does not mix writes of up to 4 KiB with those of others. */
  amongOthers: 4096,
};
const maxWaitingBytes = 16 * 1024 * 1024;

/** Writes lines to stderr, at the latest after a tenth of a second and when the process ends. */
function openStderr(format: LogFormat, number: number | undefined): DestinationStream {
  const lines = createLogWriter({
    fd: 2,
    maxWriteBytes: number === undefined ? maxWriteBytes.alone : maxWriteBytes.amongOthers,
    maxWaitingBytes,
    fields: { process: number },
    keepFromBlocking: keepStderrFromBlocking,
  });
  process.on("exit", () => lines.end());
  return format === "pretty" ? prettyLines(lines, process.stderr.hasColors?.() ?? false) : lines;
}

/**
 * A pipe belongs to all processes that have it as stderr. When one of them starts or ends, the pipe becomes blocking for
 * all, and a process with a blocked write cannot end.
 */
function keepStderrFromBlocking(): void {
  // Node offers this only on the handle.
  const stream = process.stderr as { isTTY: boolean; _handle?: { setBlocking?(on: boolean): void } };
  if (!stream.isTTY) stream._handle?.setBlocking?.(false);
}

/** `pretty` on a terminal, `json` everywhere else. */
const defaultFormat = (): LogFormat => (process.stderr.isTTY ? "pretty" : "json");

export function createLog(
  level: string,
  to: DestinationStream | { format: LogFormat | undefined; process?: number | undefined } = {
    format: undefined,
  },
): Log {
  const process = "write" in to ? undefined : to.process;
  const destination = "write" in to ? to : openStderr(to.format ?? defaultFormat(), process);
  return pino(
    {
      level,
      // Where several processes write to one log, each line says which one wrote it.
      base: process === undefined ? undefined : { process },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      // A database error contains the values of the statement, which must not be logged.
      serializers: { err: createErrorSerializer() },
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

export interface RequestLine {
  requestId: string;
  traceId: string | undefined;
  operation: string;
  method: string;
  status: number;
  ms: number;
  address: string;
  credential: string | undefined;
  userId: string | undefined;
  orgId: string | undefined;
}

const plain = /^[\w.:-]*$/;
const quote = (text: string) => (plain.test(text) ? `"${text}"` : JSON.stringify(text));
const addField = (name: string, value: string | undefined) =>
  value === undefined ? "" : `,"${name}":${quote(value)}`;

/**
 * Writes the line of each request. The fields are fixed and none is secret: looking for secrets in each, as for other
 * lines, would cost a tenth of a small request.
 */
export function createRequestLog(log: Log): (line: RequestLine) => void {
  const stream = (log as unknown as Record<symbol, DestinationStream>)[pino.symbols.streamSym]!;
  const bindings = log.bindings();
  const fixed = Object.keys(bindings).length > 0 ? `${JSON.stringify(bindings).slice(1, -1)},` : "";
  let second = 0;
  let time = "";
  return (line) => {
    if (!log.isLevelEnabled("info")) return;
    const now = Date.now();
    const millisecond = now % 1000;
    if (now - millisecond !== second) {
      second = now - millisecond;
      time = new Date(second).toISOString().slice(0, -4);
    }
    const at = `${time}${String(millisecond).padStart(3, "0")}Z`;
    stream.write(
      `{"level":"info","time":"${at}",${fixed}"requestId":${quote(line.requestId)}${addField("traceId", line.traceId)},"operation":${quote(line.operation)},"method":${quote(line.method)},"status":${line.status},"ms":${line.ms},"address":${quote(line.address)}${addField("credential", line.credential)}${addField("userId", line.userId)}${addField("orgId", line.orgId)},"msg":"request"}\n`,
    );
  };
}

function createErrorSerializer(): (error: unknown) => unknown {
  const readStack = createStackReader();
  return function describeError(error): unknown {
    if (!(error instanceof Error)) return { message: String(error) };
    const { name, message, stack, code, constraint, cause } = error as Error & {
      code?: string;
      constraint?: string;
    };
    return {
      ...{ name, message, code, constraint },
      stack: stack && readStack(stack),
      ...(cause ? { cause: describeError(cause) } : {}),
    };
  };
}
