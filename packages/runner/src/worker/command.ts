import { readFileSync, statSync } from "node:fs";
import { homedir, hostname } from "node:os";
import { join, resolve } from "node:path";
import { defaultUrl, OperatorError, parseUrl, readArguments, UsageError } from "@signalbox/command-line";
import type { RunnerInfo } from "../api.ts";
import { type CommandIo, readCommand, readNumber, readWorkdir, withoutSecrets } from "../command.ts";
import { createStatusPrinter } from "../status.ts";
import { version as packageVersion } from "../version.ts";
import { openWorkerState, type WorkerState } from "./state.ts";
import { restartExitCode, runWorker, type WorkerSettings } from "./worker.ts";

const createHelp = (program: string) => `
Usage: ${program} [options] [-- <program> [arguments]]

Makes this machine a worker: registers it, reports what it runs, sends heartbeats, and hosts a runner that
starts the program for each run. Drains on SIGTERM and when the server asks for it; a second signal ends it at once.
Without a program it hosts no runner. How to run it as a service: docs/workers.md.

Options:
  --url URL              the Signalbox to work for, or SIGNALBOX_URL (that of the state, or ${defaultUrl})
  --registration-token-file FILE
                         a file with the registration token, or SIGNALBOX_WORKER_REGISTRATION_TOKEN_FILE;
                         the token itself in SIGNALBOX_WORKER_REGISTRATION_TOKEN. Needed for the first start only
  --token-file FILE      a file with the token of a worker that was registered before, or SIGNALBOX_WORKER_TOKEN_FILE;
                         the token itself in SIGNALBOX_WORKER_TOKEN
  --name NAME            its name when it registers (the name of the machine)
  --label LABEL          a label when it registers; may be given several times
  --state FOLDER         its identity and journals (~/.local/state/signalbox-worker)
  --command LINE         a line for the shell, instead of a program after --
  --workdir FOLDER       where the program starts; without it each run has a folder of its own that goes with it
  --concurrency N        how many runs at once, 1 to 16 (1)
  --serves WHOSE         own, or organization: everybody's runs, with the permission automations:manage (own)
  --kill-after SECONDS   between SIGTERM and SIGKILL for a program that has to stop (10)
  --stop-after SECONDS   how long runs may go on when the worker drains (30)
  --upgrade-command LINE a line for the shell that installs SIGNALBOX_UPGRADE_VERSION; without it upgrades fail
  --upgrade-timeout SECONDS
                         how long the upgrade command may take (600)
  --report-version VERSION
                         the version it reports, or SIGNALBOX_WORKER_VERSION (that of this program)
  --json                 what happens, as lines of JSON

Exit codes: 0 stopped as asked, 1 failed, 2 invalid usage, 4 the server refuses the token,
            ${restartExitCode} upgraded: start it again

Examples:
  ${program} --registration-token-file /run/secrets/registration -- ./agent.sh
  ${program} --concurrency 4 --upgrade-command 'npm install -g tool@$SIGNALBOX_UPGRADE_VERSION' -- my-agent
`;

const options = {
  url: { type: "string" },
  "registration-token-file": { type: "string" },
  "token-file": { type: "string" },
  name: { type: "string" },
  label: { type: "string", multiple: true, default: [] as string[] },
  state: { type: "string" },
  command: { type: "string" },
  workdir: { type: "string" },
  concurrency: { type: "string", default: "1" },
  serves: { type: "string", default: "own" },
  "kill-after": { type: "string", default: "10" },
  "stop-after": { type: "string", default: "30" },
  "upgrade-command": { type: "string" },
  "upgrade-timeout": { type: "string", default: "600" },
  "report-version": { type: "string" },
  json: { type: "boolean", default: false },
} as const;

/** Runs the worker until it is asked to stop, and returns the exit code. */
export async function runWorkerCommand(args: string[], io: CommandIo): Promise<number> {
  const { environment, program } = io;
  const syntax = { help: createHelp(program), options, words: Number.POSITIVE_INFINITY };
  const { values, words } = readArguments(args, syntax);
  const { serves } = values;
  if (serves !== "own" && serves !== "organization")
    throw new UsageError("--serves must be own or organization.");
  const hasProgram = words.length > 0 || values.command !== undefined;
  const command = hasProgram ? readCommand(words, values.command, program, environment.PATH) : undefined;
  const concurrency = readNumber("concurrency", values.concurrency, 1, 16);
  const version = values["report-version"] ?? (environment.SIGNALBOX_WORKER_VERSION || packageVersion);
  if (!/^[\w.+~-]{1,60}$/.test(version))
    throw new UsageError("--report-version must have 1 to 60 letters, digits and . + ~ _ -.");
  const registrationToken = readToken(
    "REGISTRATION_TOKEN",
    "sbg_",
    values["registration-token-file"],
    environment,
  );
  const givenToken = readToken("TOKEN", "sbw_", values["token-file"], environment);
  const home = environment.XDG_STATE_HOME || join(homedir(), ".local/state");
  // Tokens must not be visible in the process list of this machine.
  process.title = "signalbox worker";
  const state = openWorkerState(resolve(values.state ?? join(home, "signalbox-worker")));
  try {
    const explicitUrl = values.url ?? (environment.SIGNALBOX_URL || undefined);
    const url = parseUrl(explicitUrl ?? state.kept.url ?? defaultUrl);
    prepareToken(state, url, givenToken, registrationToken);
    const printStatus = createStatusPrinter(io, values.json);
    for (const message of state.warnings) printStatus({ event: "note", message });
    const inherited = withoutSecrets(
      environment,
      givenToken ?? registrationToken ?? state.kept.token ?? "\0",
    );
    const childEnvironment = {
      ...inherited,
      SIGNALBOX_WORKER_CONFIGURATION: join(state.folder, "configuration.json"),
    };
    const platform = `${process.platform} ${process.arch}, node ${process.versions.node}`;
    const info: RunnerInfo = { runnerId: "", platform, version, concurrency, serves };
    const settings: WorkerSettings = {
      ...{ url, registrationToken, version },
      registration: { name: values.name ?? hostname().slice(0, 100), labels: values.label },
      runner: command && {
        ...{ info, command, environment: childEnvironment },
        workdir: readWorkdir(values.workdir),
        killAfterMs: readNumber("kill-after", values["kill-after"], 0, 3600) * 1000,
        stopAfterMs: readNumber("stop-after", values["stop-after"], 0, 86_400) * 1000,
      },
      upgradeCommand:
        values["upgrade-command"] === undefined
          ? undefined
          : {
              line: values["upgrade-command"],
              timeoutMs: readNumber("upgrade-timeout", values["upgrade-timeout"], 1, 86_400) * 1000,
              environment: childEnvironment,
            },
    };
    return await runWorker(settings, state, printStatus, io.signal);
  } finally {
    state.close();
  }
}

/** Decides which token is used. A token is only ever sent to the server that it is for. */
function prepareToken(
  state: WorkerState,
  url: string,
  given: string | undefined,
  registrationToken: string | undefined,
): void {
  const { kept } = state;
  if (kept.url !== undefined && kept.url !== url)
    throw new UsageError(
      `The worker in ${state.folder} is registered at ${kept.url}, not at ${url}. Use another folder with --state.`,
    );
  if (given !== undefined && given !== kept.token) state.save({ url, token: given });
  if (kept.token === undefined && registrationToken === undefined)
    throw new OperatorError(
      "This machine is not registered. Give a registration token with --registration-token-file, or the token of a worker with --token-file.",
    );
}

function readToken(
  name: "TOKEN" | "REGISTRATION_TOKEN",
  prefix: string,
  flag: string | undefined,
  environment: Readonly<NodeJS.ProcessEnv>,
): string | undefined {
  const variable = `SIGNALBOX_WORKER_${name}`;
  const file = flag ?? (environment[`${variable}_FILE`] || undefined);
  const token = file === undefined ? environment[variable] || undefined : readTokenFile(file);
  if (token !== undefined && (!token.startsWith(prefix) || !/^[\x21-\x7e]{1,200}$/.test(token)))
    throw new UsageError(`${flag ?? variable} has another kind of token: it must begin with ${prefix}.`);
  return token;
}

function readTokenFile(file: string): string | undefined {
  // A registration token is needed once. Its file may be gone afterwards.
  if (!statSync(file, { throwIfNoEntry: false })) return undefined;
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    throw new OperatorError(`The token cannot be read: ${(error as Error).message}.`);
  }
}
