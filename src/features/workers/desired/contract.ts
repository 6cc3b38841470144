import { z } from "zod";
import { idSchema } from "../../../platform/ids.ts";

export const Configuration = z.record(z.string().min(1).max(100), z.unknown());

export const Desired = z
  .strictObject({
    version: z.string().optional().describe("The version it should run. Missing: any version."),
    upgradeId: idSchema("wup")
      .optional()
      .describe("The upgrade to `version` that waits for it. Missing: there is nothing to do."),
    configuration: Configuration.optional().describe("The configuration it should use. Missing: its own."),
    configurationRevision: z.int().describe("Grows with each change of the configuration. 0: there is none."),
    paused: z.boolean().describe("It should take no new runs."),
    drain: z.boolean().describe("It should finish its runs, take no new ones, and stop."),
  })
  .meta({ id: "WorkerDesired" });
export type Desired = z.output<typeof Desired>;
