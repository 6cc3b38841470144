import { STATUS_CODES } from "node:http";
import type { Answer } from "./reply.ts";

export const keepAliveMs = 65_000;
const kept = `Connection: keep-alive\r\nKeep-Alive: timeout=${keepAliveMs / 1000}\r\n`;
const closed = "Connection: close\r\n";

/** Formats the head of a reply as Node does. `length` is that of the body in bytes. */
export function formatHead(
  { status, headers }: Pick<Answer, "status" | "headers">,
  length: number,
  isLast: boolean,
): string {
  let text = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "unknown"}\r\n`;
  for (const name in headers) {
    const value = headers[name]!;
    if (typeof value === "string") text += formatHeader(name, value);
    else for (const one of value) text += formatHeader(name, one);
  }
  if (status !== 204 && status !== 304) text += `content-length: ${length}\r\n`;
  text += `Date: ${formatDate()}\r\n`;
  if (headers.connection === undefined) text += isLast ? closed : kept;
  return `${text}\r\n`;
}

function formatHeader(name: string, value: string): string {
  // A line break would begin another header.
  if (/[^ -~]/.test(value))
    throw new Error(`The header ${name} of a reply has a character that is not allowed.`);
  return `${name}: ${value}\r\n`;
}

let second = 0;
let date = "";

/** The date changes once in a second, so it is formatted once in a second. */
function formatDate(): string {
  const now = Math.floor(Date.now() / 1000);
  if (now !== second) {
    second = now;
    date = new Date(now * 1000).toUTCString();
  }
  return date;
}
