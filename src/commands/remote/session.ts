import type { ParseArgsOptionsConfig } from "node:util";
import { type Client, createClient } from "@signalbox/client";
import {
  cleanText,
  createPaint,
  describeScreen,
  findLogin,
  type Login,
  type LoginFlags,
  type Paint,
} from "@signalbox/command-line";
import { version } from "../../platform/version.ts";
import { readArguments, UsageError } from "../arguments.ts";
import { type Command, exit, type Io } from "../io.ts";
import { describeFailure } from "./failures.ts";
import { paintStatus } from "./format.ts";
import { type Column, renderTable } from "./table.ts";

export const connectionOptions = {
  url: { type: "string" },
  "key-file": { type: "string" },
  profile: { type: "string" },
  json: { type: "boolean", default: false },
} as const;

export const connectionHelp = `
  --json             what the API answers, as JSON
  --profile NAME     a login of its own, see \`signalbox login\`; or SIGNALBOX_PROFILE
  --url URL          the server; or SIGNALBOX_URL
  --key-file FILE    a file with an API key; or SIGNALBOX_API_KEY, SIGNALBOX_API_KEY_FILE

Exit codes: 0 done, 1 failed, 2 invalid usage, 4 not signed in or not allowed, 5 not found`;

export const userAgent = `signalbox-cli/${version}`;

/** A client for the server, and the functions that print its replies. */
export interface Session {
  client: Client;
  login: Login;
  json: boolean;
  paint: Paint;
  io: Io;
  /** Prints a table; with --json, the page as the API returns it. */
  showList<Row>(
    page: { items: Row[]; nextCursor: string | null },
    columns: Column<Row>[],
    none: string,
  ): void;
  /** Prints lines of `name  value`; with --json, the whole reply. */
  showOne(whole: unknown, fields: [name: string, value: string | null][]): void;
  /** Prints one sentence; with --json, the whole reply. */
  showResult(whole: unknown, sentence: string): void;
}

export function openSession(flags: LoginFlags & { json: boolean }, io: Io): Session {
  const login = findLogin(flags, io.environment);
  const client = createClient({
    url: login.url,
    credential: { apiKey: login.key },
    userAgent,
    signal: io.signal,
  });
  const { json } = flags;
  const screen = describeScreen(process.stdout);
  // Without a terminal the output is not cut, because a program reads it.
  const width = process.stdout.isTTY ? (process.stdout.columns ?? 80) : Number.POSITIVE_INFINITY;
  const paint = createPaint(screen.colour);
  const showJson = (value: unknown) => io.out(JSON.stringify(value, null, 2));
  return {
    client,
    login,
    json,
    paint,
    io,
    showList(page, columns, none) {
      if (json) return showJson(page);
      if (page.items.length === 0) return io.err(none);
      const [head, ...rows] = renderTable(columns, page.items, width);
      io.out(paint.dim(head!));
      for (const row of rows) io.out(row);
      if (page.nextCursor !== null)
        io.err(`There are more; this is the first ${page.items.length}. Use --limit.`);
    },
    showOne(whole, fields) {
      if (json) return showJson(whole);
      const shown = fields.filter((field): field is [string, string] => field[1] !== null && field[1] !== "");
      const longest = Math.max(...shown.map(([name]) => name.length));
      for (const [name, value] of shown) io.out(`${paint.dim(name.padEnd(longest))}  ${value}`);
    },
    showResult(whole, sentence) {
      if (json) showJson(whole);
      else io.out(cleanText(sentence));
    },
  };
}

/** Makes text of several lines safe to print. Line breaks and tabs stay. */
export const cleanLines = (text: string): string =>
  text
    .split(/\r?\n/)
    .map((line) => line.split("\t").map(cleanText).join("\t"))
    .join("\n");

/** Runs a command that calls a server. Prints a refusal as a sentence and returns its exit code. */
export const connectCommand =
  (command: Command): Command =>
  async (args, io) => {
    try {
      return await command(args, io);
    } catch (error) {
      const failure = describeFailure(error);
      if (!failure) throw error;
      io.err(failure.sentence);
      return failure.code;
    }
  };

/** A command whose first argument names the action. */
export function createGroup(help: string, actions: Record<string, Command>): Command {
  return connectCommand(async ([action, ...args], io) => {
    if (action === "--help" || action === "-h" || (action === "help" && args.length === 0)) {
      io.out(help.trim());
      return exit.ok;
    }
    const run = action !== undefined && Object.hasOwn(actions, action) ? actions[action] : undefined;
    if (!run) {
      const known = Object.keys(actions).join(", ");
      throw new UsageError(
        action === undefined
          ? `Say what to do: ${known}.`
          : `There is no action "${cleanText(action)}". Use one of: ${known}.`,
      );
    }
    return run(args, io);
  });
}

/** Reads the arguments of an action on one thing, and opens the session. `what` names the word that it needs. */
export function openAction<const Options extends ParseArgsOptionsConfig = Record<never, never>>(
  args: string[],
  io: Io,
  { help, what, options = {} as Options }: { help: string; what: string; options?: Options },
) {
  const { values, words } = readArguments(args, {
    help,
    options: { ...connectionOptions, ...options },
    words: 1,
  });
  const [word] = words;
  if (!word) throw new UsageError(`Name ${what}.`);
  // The options always include `connectionOptions`, which the compiler cannot infer for generic options.
  return { values, word, session: openSession(values as LoginFlags & { json: boolean }, io) };
}

/** A table column with a status in its color. */
export const createStatusColumn = <Row>(
  { paint }: Pick<Session, "paint">,
  title: string,
  getStatus: (row: Row) => string,
): Column<Row> => ({
  title,
  value: getStatus,
  whole: true,
  paint: (text, row) => paintStatus(paint, getStatus(row), text),
});

/** How many rows a list shows at most. */
export const parseLimit = (text: string): number => parseWholeNumber("limit", text, 1, 10_000);

export function parseWholeNumber(name: string, text: string, from: number, to: number): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= from && value <= to)) {
    throw new UsageError(`--${name} must be a whole number from ${from} to ${to}.`);
  }
  return value;
}
