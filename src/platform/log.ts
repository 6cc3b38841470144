import { type DestinationStream, type Logger, pino } from "pino";

export type Log = Logger;

// The last net, not the first: nothing here should be handed to the log at all.
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

export function createLog(
  level: string,
  destination: DestinationStream = pino.destination({
    fd: 2,
    sync: false,
    minLength: 4096,
    periodicFlush: 100,
  }),
): Log {
  return pino(
    {
      level,
      base: undefined,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      // A database error carries the statement's values along, and those are nobody's business.
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

function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack, code, constraint, cause } = error as Error & {
    code?: string;
    constraint?: string;
  };
  return { name, message, code, constraint, stack, ...(cause ? { cause: describeError(cause) } : {}) };
}
