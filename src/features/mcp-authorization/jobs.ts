import { job } from "../../platform/jobs/index.ts";
import { removeUnusedClientsAcrossOrganizations } from "./clients/index.ts";
import { removeExpiredRecordsAcrossOrganizations } from "./server/index.ts";
import * as store from "./store.ts";

export const jobs = [
  job({
    name: "mcp-authorization.tidy",
    schedule: "23 * * * *",
    handle: async ({ db }) => {
      await store.removeExpiredGrantsAcrossOrganizations(db);
      await removeExpiredRecordsAcrossOrganizations(db);
      await removeUnusedClientsAcrossOrganizations(db);
    },
  }),
];
