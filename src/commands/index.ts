import { printError } from "@signalbox/command-line";
import { Refusal } from "../platform/errors.ts";
import { type Command, exit, type Io } from "./io.ts";

interface Entry {
  summary: string;
  load(): Promise<Command>;
  /** Needs the database. While a server holds the data folder, the server runs the command. */
  database?: true;
  /** Runs here, and asks the server that holds the data folder for what only the server can do. */
  asksServer?: true;
  /** Ends by itself when it is asked to stop. */
  stops?: true;
  /** Only calls a server over HTTP; needs no database or configuration of this instance. */
  remote?: true;
}

/** All commands. The code of a command is loaded when it is called. */
export const commands: Record<string, Entry> = {
  serve: { summary: "run the service", load: async () => (await import("./serve.ts")).serve, stops: true },
  migrate: {
    summary: "bring the database to this version",
    load: async () => (await import("./migrate.ts")).migrate,
    database: true,
  },
  doctor: {
    summary: "check this instance and say what to do",
    load: async () => (await import("./doctor.ts")).doctor,
    database: true,
  },
  backup: {
    summary: "write everything in the database to a file, while the service runs",
    load: async () => (await import("./backup.ts")).backup,
    asksServer: true,
    stops: true,
  },
  restore: {
    summary: "put a backup into an empty database",
    load: async () => (await import("./restore.ts")).restore,
    stops: true,
  },
  move: {
    summary: "move everything to another database: from embedded to PostgreSQL, or back",
    load: async () => (await import("./move.ts")).move,
    asksServer: true,
    stops: true,
  },
  demo: {
    summary: "fill an empty instance with a workspace to look at",
    load: async () => (await import("./demo.ts")).demo,
    database: true,
  },
  runner: {
    summary: "take runs and start a program of yours for each",
    load: async () => (await import("./runner.ts")).runner,
    stops: true,
  },
  worker: {
    summary: "make this machine a worker, with heartbeats, upgrades and a runner",
    load: async () => (await import("./worker.ts")).worker,
    stops: true,
  },
  discover: {
    summary: "find out how an MCP server must be connected",
    load: async () => (await import("./discover.ts")).discover,
  },
  login: {
    summary: "sign in to a server",
    load: async () => (await import("./login.ts")).login,
    remote: true,
  },
  logout: {
    summary: "forget a stored login",
    load: async () => (await import("./logout.ts")).logout,
    remote: true,
  },
  whoami: {
    summary: "say who you are signed in as",
    load: async () => (await import("./whoami.ts")).whoami,
    remote: true,
  },
  automations: {
    summary: "list, show, create and run automations",
    load: async () => (await import("./automations.ts")).automations,
    remote: true,
  },
  runs: {
    summary: "list, show, watch, cancel and retry runs",
    load: async () => (await import("./runs.ts")).runs,
    remote: true,
  },
  templates: {
    summary: "list, search and show templates",
    load: async () => (await import("./templates.ts")).templates,
    remote: true,
  },
  connections: {
    summary: "list and show connected accounts",
    load: async () => (await import("./connections.ts")).connections,
    remote: true,
  },
  "mcp-connections": {
    summary: "list, add, test, watch, import and export MCP connections",
    load: async () => (await import("./mcp-connections.ts")).mcpConnections,
    remote: true,
  },
  "llm-providers": {
    summary: "list, add and test LLM providers; prices and budgets",
    load: async () => (await import("./llm-providers.ts")).llmProviders,
    remote: true,
  },
  admin: {
    summary: "administer the instance: overview, organizations, suspend, limits",
    load: async () => (await import("./admin.ts")).admin,
    remote: true,
  },
  openapi: {
    summary: "print the API description",
    load: async () => (await import("./openapi.ts")).openapi,
  },
  mail: {
    summary: "read the mails that were kept or wait to be sent",
    load: async () => (await import("./mail.ts")).mail,
    database: true,
  },
  "two-factor": {
    summary: "remove the second factor of somebody who lost it",
    load: async () => (await import("./two-factor.ts")).twoFactor,
    database: true,
  },
  audit: {
    summary: "verify that nobody changed the audit log, or sign it",
    load: async () => (await import("./audit.ts")).audit,
    database: true,
    stops: true,
  },
  reseal: {
    summary: "seal every stored secret again, after a change of SIGNALBOX_SECRET",
    load: async () => (await import("./reseal.ts")).reseal,
    database: true,
    stops: true,
  },
};

/** Runs a command and returns its exit code. Known errors are printed as a sentence. */
export async function runCommand(name: string, args: string[], io: Io): Promise<number> {
  try {
    const command = await commands[name]!.load();
    return await command(args, io);
  } catch (error) {
    if (!(error instanceof Refusal)) return printError(error, `signalbox ${name}`, io);
    io.err(error.message);
    return exit.failed;
  }
}
