import type { AutomationRevision } from "@signalbox/client";
import { describeSchedule, findExpression } from "../schedule/schedule.ts";

/** A revision as text with one fact a line, so that two of them can be compared. */
export const writeRevision = (revision: AutomationRevision): string =>
  [
    `name: ${revision.name}`,
    `schedule: ${writeSchedule(revision)}`,
    `model: ${revision.model ? `${revision.model.providerId} ${revision.model.modelId}` : "-"}`,
    `time limit: ${revision.maxRuntimeSeconds} s`,
    `templates: ${revision.templateIds.join(", ") || "-"}`,
    `accounts: ${revision.connectionIds.join(", ") || "-"}`,
    "",
    revision.instructions,
  ].join("\n");

function writeSchedule({ schedule }: AutomationRevision): string {
  const details = [findExpression(schedule), "timezone" in schedule ? schedule.timezone : undefined];
  return [describeSchedule(schedule), ...details.filter(Boolean).map((detail) => `(${detail})`)].join(" ");
}
