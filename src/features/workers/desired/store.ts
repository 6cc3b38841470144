import { sql } from "../../../platform/db/index.ts";
import { isPaused } from "../states/index.ts";
import type { Desired } from "./contract.ts";

/** What the server wants of a worker, as its row has it. */
export interface DesiredRow {
  version: string | null;
  upgradeId: string | null;
  configuration: Desired["configuration"] | null;
  configurationRevision: number;
  paused: boolean;
  drain: boolean;
}

/** Of `workers w`. */
export const desiredColumns = sql`w.desired_version as version, w.upgrade_id as "upgradeId", w.configuration,
  w.configuration_revision as "configurationRevision", ${isPaused} as paused,
  w.drain_requested_at is not null as drain`;
