#!/usr/bin/env node
import { createStopSignal, printError } from "@signalbox/command-line";
import { runRunnerCommand } from "./command.ts";
import { version } from "./version.ts";
import { runWorkerCommand } from "./worker/command.ts";

const program = "signalbox-runner";
const args = process.argv.slice(2);
const output = {
  out: (line: string) => void process.stdout.write(`${line}\n`),
  err: (line: string) => void process.stderr.write(`${line}\n`),
};

// `signalbox-runner | head` closes the pipe before the runner ends.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
});

async function run(): Promise<number> {
  if (args[0] === "--version" || args[0] === "-v") {
    output.out(version);
    return 0;
  }
  const io = { ...output, program, environment: process.env, signal: createStopSignal(true) };
  if (args[0] === "worker") {
    const name = `${program} worker`;
    return runWorkerCommand(args.slice(1), { ...io, program: name }).catch((error) =>
      printError(error, name, output),
    );
  }
  return runRunnerCommand(args, io).catch((error) => printError(error, program, output));
}

process.exit(await run());
