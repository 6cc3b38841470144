/** The runner as a function, for the command line of the server. */
export { type CommandIo, runRunnerCommand } from "./command.ts";
export { runWorkerCommand } from "./worker/command.ts";
