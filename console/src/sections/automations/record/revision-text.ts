import type { AutomationRevision } from "@signalbox/client";
import { describeSchedule } from "../schedule/schedule.ts";

/** A revision as text with one fact a line, so that two of them can be compared. */
export const writeRevision = (revision: AutomationRevision): string =>
  [
    `name: ${revision.name}`,
    `schedule: ${describeSchedule(revision.schedule)}${"timezone" in revision.schedule ? ` (${revision.schedule.timezone})` : ""}`,
    `model: ${revision.model ? `${revision.model.providerId} ${revision.model.modelId}` : "-"}`,
    `time limit: ${revision.maxRuntimeSeconds} s`,
    `templates: ${revision.templateIds.join(", ") || "-"}`,
    `accounts: ${revision.connectionIds.join(", ") || "-"}`,
    "",
    revision.instructions,
  ].join("\n");
