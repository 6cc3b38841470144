import { job } from "../../platform/jobs/index.ts";
import { keptDays } from "./contract.ts";
import { removeExpiredAcrossOrganizations } from "./shares/index.ts";
import * as store from "./store.ts";

export const jobs = [
  job({
    name: "mcp-discoveries.tidy",
    schedule: "43 3 * * *",
    handle: async ({ db }) => {
      await removeExpiredAcrossOrganizations(db);
      await store.removeOldAcrossOrganizations(db, keptDays);
    },
  }),
];
