import { can } from "../permissions/index.ts";

/** Who may report telemetry. */
export const reporters = can("telemetry:report", { credentials: ["session", "key", "runner", "run"] });
