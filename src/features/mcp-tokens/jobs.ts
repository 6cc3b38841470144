import { job } from "../../platform/jobs/index.ts";
import * as store from "./store.ts";

export const jobs = [
  job({
    name: "mcp-tokens.tidy",
    schedule: "37 3 * * *",
    handle: async ({ db }) => {
      await store.removeOldAcrossOrganizations(db);
    },
  }),
];
