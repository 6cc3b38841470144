/** The command line. `bin/signalbox.mjs` starts it. */
import cluster from "node:cluster";
import { existsSync } from "node:fs";

// A command in another terminal then sees the settings that `serve` was started with. The environment takes
// precedence.
const given = new Set(Object.keys(process.env));
if (existsSync(".env")) {
  try {
    process.loadEnvFile(".env");
  } catch {
    // Without its settings, a command would work on another database.
    console.error(
      ".env in this folder cannot be read. It must be a file with a line NAME=value for each setting.",
    );
    process.exit(1);
  }
}
const environment = { ...process.env };
// A process that `serve` starts later reads the file again, so it must not inherit the values of today.
if (process.argv[2] === "serve")
  for (const name of Object.keys(environment)) if (!given.has(name)) delete process.env[name];

// `signalbox mail | head` closes stdout before the command has written everything.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
});

async function main([name, ...args]: string[]): Promise<number> {
  const { commands, runCommand } = await import("./commands/index.ts");
  const { findNearestCommand, renderOverview } = await import("./commands/help.ts");
  if (name === "help" && args[0]) return main([args[0], "--help"]);
  if (name === "--version" || name === "-v")
    return printText((await import("./platform/version.ts")).version);
  if (name === "--help" || name === "-h" || name === "help") return printText(renderOverview());
  if (name === undefined || !Object.hasOwn(commands, name)) {
    const meant = name && findNearestCommand(name);
    const problem = name
      ? `Signalbox has no ${name.startsWith("-") ? "option" : "command"} ${name}.`
      : "Say what to do.";
    console.error(`${problem}${meant ? ` Did you mean ${meant}?` : ""} See \`signalbox --help\`.`);
    return 2;
  }
  const { createStopSignal, createChildStopSignal } = await import("@signalbox/command-line");
  const signal = cluster.isWorker
    ? createChildStopSignal()
    : createStopSignal(commands[name]!.stops ?? false);
  if (commands[name]!.remote) {
    const { createRemoteIo } = await import("./commands/remote/io.ts");
    return runCommand(name, args, createRemoteIo(environment, signal));
  }
  const { runHereOrInServer, createTerminalIo } = await import("./commands/terminal.ts");
  const io = createTerminalIo(environment, signal);
  const code = await runHereOrInServer(name, args, io);
  await io.close();
  return code;
}

function printText(text: string): number {
  console.log(text);
  return 0;
}

process.exit(await main(process.argv.slice(2)));
