import { runDiscoverCommand } from "@signalbox/discovery/command";
import type { Command } from "./io.ts";

export const discover: Command = (args, io) =>
  runDiscoverCommand(args, {
    out: io.out,
    err: io.err,
    program: "signalbox discover",
    settings() {
      const { egressAllow, publicUrl, host, port } = io.config();
      return { egressAllow, publicUrl: publicUrl ?? `http://${host}:${port || 8787}` };
    },
  });
