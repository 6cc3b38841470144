import { printableLine } from "@signalbox/command-line";
import type { DestinationStream } from "pino";

const colours: Record<string, number> = { fatal: 31, error: 31, warn: 33, info: 32, debug: 36, trace: 90 };

/** Converts JSON log lines into readable lines, and writes them to `destination`. */
export function prettyLines(destination: DestinationStream, colour: boolean): DestinationStream {
  const paint = (code: number, text: string) => (colour ? `\u001b[${code}m${text}\u001b[0m` : text);
  return {
    write(line) {
      const entry = parse(line);
      destination.write(entry ? format(entry, paint) : line);
    },
  };
}

interface Entry {
  level: string;
  time: string;
  msg?: string;
  err?: { message?: string; stack?: string; cause?: { message?: string } };
  [field: string]: unknown;
}

function parse(line: string): Entry | undefined {
  try {
    return JSON.parse(line) as Entry;
  } catch {
    return undefined;
  }
}

type Paint = (code: number, text: string) => string;

function format({ level, time, msg = "", err, ...fields }: Entry, paint: Paint): string {
  const head = `${paint(90, localTime(time))} ${paint(colours[level] ?? 0, level.padEnd(5))} `;
  const [text, rest] =
    msg === "request" && "operation" in fields ? describeRequest(fields) : [printableLine(msg), fields];
  const details = Object.entries(rest).map(([name, value]) => `${name}=${printableLine(valueText(value))}`);
  const line = `${head}${text}${details.length > 0 ? paint(90, `  ${details.join(" ")}`) : ""}\n`;
  return err ? `${line}${errorLines(err)}` : line;
}

/** Formats the log line of a request with only the fields that a person at a terminal needs. */
function describeRequest({ operation, method, status, ms, requestId, ...others }: Record<string, unknown>) {
  const { address: _, credential: __, userId: ___, orgId: ____, ...rest } = others;
  const text = printableLine(`${method} ${operation} ${status} in ${ms} ms`);
  // The request id finds the error of a 500 in the log.
  return [text, Number(status) >= 500 ? { requestId, ...rest } : rest] as const;
}

const valueText = (value: unknown) => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));

function errorLines({ message = "", stack, cause }: NonNullable<Entry["err"]>): string {
  const because = cause?.message ? `\ncaused by: ${cause.message}` : "";
  return `${stack ?? message}${because}`
    .split("\n")
    .map((line) => `    ${printableLine(line)}\n`)
    .join("");
}

function localTime(iso: string): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return printableLine(iso);
  const two = (value: number) => String(value).padStart(2, "0");
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":");
}
