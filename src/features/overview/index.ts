import { defineRoom } from "../../platform/rooms.ts";
import { routes as attention, quotaCache } from "./attention/index.ts";
import { routes as checklist } from "./checklist/index.ts";
import { routes as counts } from "./counts/index.ts";
import { fields } from "./fields.ts";
import { routes as recent } from "./recent/index.ts";
import { routes as runs } from "./runs/index.ts";

export const room = defineRoom({
  name: "overview",
  tags: [
    {
      name: "Overview",
      description:
        "Figures of an organization: runs and costs over time, what needs care, what happened lately.",
    },
  ],
  routes: [...runs, ...counts, ...attention, ...recent, ...checklist],
  fields,
  state: [quotaCache],
});
