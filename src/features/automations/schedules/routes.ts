import { on } from "../../../platform/http/index.ts";
import * as contract from "./contract.ts";
import { nextOccurrences } from "./schedule.ts";
import { writeLocal } from "./zone.ts";

export const routes = [
  on(contract.preview, (_ctx, { body: { schedule, count, after = Date.now() } }) => ({
    occurrences: nextOccurrences(schedule, after, count).map((at) => ({
      at,
      local: writeLocal("timezone" in schedule ? schedule.timezone : "UTC", at),
    })),
  })),
];
