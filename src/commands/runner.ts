import { runRunnerCommand } from "@signalbox/runner";
import type { Command } from "./io.ts";

export const runner: Command = (args, io) => runRunnerCommand(args, { ...io, program: "signalbox runner" });
