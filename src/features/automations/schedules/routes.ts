import { on } from "../../../platform/http/index.ts";
import * as contract from "./contract.ts";
import { listNextOccurrences } from "./schedule.ts";
import { formatLocalTime } from "./zone.ts";

export const routes = [
  on(contract.preview, (_ctx, { body: { schedule, count, after = Date.now() } }) => ({
    occurrences: listNextOccurrences(schedule, after, count).map((at) => ({
      at,
      local: formatLocalTime("timezone" in schedule ? schedule.timezone : "UTC", at),
    })),
  })),
];
