#!/usr/bin/env node
import { printError } from "@signalbox/command-line";
import { readSettings, runDiscoverCommand } from "./command/command.ts";
import { version } from "./version.ts";

const program = "signalbox-discover";
const args = process.argv.slice(2);
const output = {
  out: (line: string) => void process.stdout.write(`${line}\n`),
  err: (line: string) => void process.stderr.write(`${line}\n`),
};

// `signalbox-discover | head` closes the pipe before the program ends.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
});

async function run(): Promise<number> {
  if (args[0] === "--version" || args[0] === "-v") {
    output.out(version);
    return 0;
  }
  const io = { ...output, program, settings: () => readSettings(process.env) };
  return runDiscoverCommand(args, io).catch((error) => printError(error, program, output));
}

process.exit(await run());
