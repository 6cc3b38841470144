import { canWithMachines } from "../permissions/index.ts";

/** Who may report telemetry: members, the programs of runs, runners and workers. */
export const reporters = canWithMachines("telemetry:report", {
  credentials: ["session", "key", "runner", "run", "worker"],
});
