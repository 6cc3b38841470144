import type { AutomationSchedule } from "@signalbox/client";
import { describeSchedule, findExpression } from "./schedule.ts";

/** A schedule in words, with its cron expression where it has one. */
export function ScheduleWords({ schedule }: { schedule: AutomationSchedule }) {
  const expression = findExpression(schedule);
  return (
    <>
      {describeSchedule(schedule)}
      {expression !== undefined && (
        <>
          {" "}
          <code className="small t3">{expression}</code>
        </>
      )}
    </>
  );
}
