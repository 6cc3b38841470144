import { runWorkerCommand } from "@signalbox/runner";
import type { Command } from "./io.ts";

export const worker: Command = (args, io) => runWorkerCommand(args, { ...io, program: "signalbox worker" });
