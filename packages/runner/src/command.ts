import { accessSync, constants, statSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { exit, findLogin, OperatorError, readArguments, UsageError } from "@signalbox/command-line";
import type { Command } from "./child.ts";
import { runRunner, type Settings } from "./runner.ts";
import { openState } from "./state.ts";
import { createStatusPrinter } from "./status.ts";
import { version } from "./version.ts";

/** The input and output of the command. */
export interface CommandIo {
  /** How the user starts the command: `signalbox-runner`, or `signalbox runner` of the server. */
  program: string;
  out(line: string): void;
  err(line: string): void;
  environment: Readonly<NodeJS.ProcessEnv>;
  /** Asks the runner to stop. */
  signal: AbortSignal;
}

const createHelp = (program: string) => `
Usage: ${program} [options] -- <program> [arguments]

Takes queued runs of your automations and starts the program for each: instructions on its stdin, what it
prints becomes the run's events. Keeps a journal, so that nothing is lost or reported twice when it crashes or
the network fails. What a program can print: docs/runner.md.

Options:
  --url URL            the Signalbox to work for, or SIGNALBOX_URL (that of the login, or http://127.0.0.1:8787)
  --key-file FILE      a file with the API key in it, or SIGNALBOX_API_KEY_FILE; /dev/stdin and pipes are read once
  --key KEY            the API key itself, or SIGNALBOX_API_KEY; a program that the runner starts may read it there
  --profile NAME       a stored login, see signalbox login; used where no key is given (default)
  --command LINE       a line for the shell, instead of a program after --
  --workdir FOLDER     where the program starts; without it each run has a folder of its own that goes with it
  --concurrency N      how many runs at once, 1 to 16 (1)
  --serves WHOSE       own, or organization: everybody's runs, with the permission automations:manage (own)
  --runner-id NAME     or --name: its name, 8 to 160 characters; made up once and kept in the state folder
  --state FOLDER       its name and journals (~/.local/state/signalbox-runner)
  --kill-after SECONDS between SIGTERM and SIGKILL for a program that has to stop (10)
  --stop-after SECONDS how long runs may go on when the runner is asked to stop (30)
  --once               do one run and end; 0 if it succeeded, else 1
  --json               what happens, as lines of JSON

Exit codes: 0 stopped as asked, 1 failed, 2 invalid usage, 4 no API key and nobody signed in

Examples:
  ${program} -- ./nightly.sh
  ${program} --concurrency 4 --workdir ~/repo -- my-agent --print --output json-lines
  ${program} --once --command 'wc -w | sed "s/^/words: /"'
`;

const options = {
  url: { type: "string" },
  key: { type: "string" },
  "key-file": { type: "string" },
  profile: { type: "string" },
  command: { type: "string" },
  workdir: { type: "string" },
  concurrency: { type: "string", default: "1" },
  serves: { type: "string", default: "own" },
  "runner-id": { type: "string" },
  name: { type: "string" },
  state: { type: "string" },
  "kill-after": { type: "string", default: "10" },
  "stop-after": { type: "string", default: "30" },
  once: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
} as const;

/** Runs the runner until it is asked to stop, and returns the exit code. */
export async function runRunnerCommand(args: string[], io: CommandIo): Promise<number> {
  const { environment, program } = io;
  const syntax = { help: createHelp(program), options, words: Number.POSITIVE_INFINITY };
  const { values, words } = readArguments(args, syntax);
  const command = readCommand(words, values.command, program, environment.PATH);
  const concurrency = readNumber("concurrency", values.concurrency, 1, 16);
  const { serves } = values;
  if (serves !== "own" && serves !== "organization") {
    throw new UsageError("--serves must be own or organization.");
  }
  const { url, key, warning } = findLogin(values, environment);
  const settings: Omit<Settings, "info"> = {
    url,
    access: key,
    command,
    workdir: readWorkdir(values.workdir),
    environment: withoutSecrets(environment, key),
    killAfterMs: readNumber("kill-after", values["kill-after"], 0, 3600) * 1000,
    stopAfterMs: readNumber("stop-after", values["stop-after"], 0, 86_400) * 1000,
    once: values.once,
  };
  // The key must not be visible in the process list of this machine.
  process.title = "signalbox runner";
  const home = environment.XDG_STATE_HOME || join(homedir(), ".local/state");
  const state = openState(
    resolve(values.state ?? join(home, "signalbox-runner")),
    readRunnerName(values["runner-id"] ?? values.name),
  );
  try {
    const platform = `${process.platform} ${process.arch}, node ${process.versions.node}`;
    const info = { runnerId: state.runnerId, platform, version, concurrency, serves } as const;
    const printStatus = createStatusPrinter(io, values.json);
    const shared = serves === "organization" && concurrency > 1 ? [sharedWarning] : [];
    for (const message of [...state.warnings, ...(warning ? [warning] : []), ...shared])
      printStatus({ event: "note", message });
    return (await runRunner({ ...settings, info }, state, printStatus, io.signal)) ? exit.ok : exit.failed;
  } finally {
    state.close();
  }
}

const sharedWarning =
  "Programs of different members run at the same time as one user, and can read each other's credentials. " +
  "Start one runner for each group that trusts each other, or let the command isolate each run: docs/runner.md.";

export function readNumber(name: string, text: string, from: number, to: number): number {
  const value = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= from && value <= to)) {
    throw new UsageError(`--${name} must be a whole number from ${from} to ${to}.`);
  }
  return value;
}

function readRunnerName(name: string | undefined): string | undefined {
  if (name !== undefined && (name.length < 8 || name.length > 160 || /\p{Cc}/u.test(name))) {
    throw new UsageError("--runner-id must have 8 to 160 characters.");
  }
  return name;
}

export function readWorkdir(folder: string | undefined): string | undefined {
  if (folder === undefined) return undefined;
  const path = resolve(folder);
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    throw new OperatorError(`${path} is not a folder. Create it, or name another one with --workdir.`);
  }
  return path;
}

export function readCommand(words: string[], line: string | undefined, runner: string, path = ""): Command {
  const [program, ...args] = words;
  if ((program === undefined) === (line === undefined)) {
    throw new UsageError(
      line === undefined
        ? `Say what to run: ${runner} -- <program> [arguments].`
        : "Say what to run once: with --command, or after --.",
    );
  }
  if (line !== undefined) return { program: "/bin/sh", args: ["-c", line] };
  return { program: findProgram(program!, path), args };
}

/** Checks at start that the program exists, instead of failing the first run. */
function findProgram(program: string, path: string): string {
  const places = program.includes("/")
    ? [resolve(program)]
    : path.split(delimiter).map((folder) => resolve(folder, program));
  const found = places.find((place) => {
    try {
      accessSync(place, constants.X_OK);
      return statSync(place).isFile();
    } catch {
      return false;
    }
  });
  if (!found) throw new OperatorError(`${program} cannot be run: it is not there, or not executable.`);
  return found;
}

/** The environment may come from the server's .env file. The program must not receive its secrets. */
const secrets = [
  "DATABASE_URL",
  "SMTP_URL",
  "CODEHOST_WEBHOOK_SECRET",
  "METRICS_TOKEN",
  "OTEL_EXPORTER_OTLP_HEADERS",
];

/** The key may also be in a variable of any other name: `--key "$MY_KEY"`. */
export const withoutSecrets = (environment: NodeJS.ProcessEnv, key: string): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(environment).filter(
      ([name, value]) => !name.startsWith("SIGNALBOX_") && !secrets.includes(name) && !value?.includes(key),
    ),
  );
