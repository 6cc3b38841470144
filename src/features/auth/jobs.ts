import { job } from "../../platform/jobs/index.ts";
import { removeExpiredPasskeyChallengesAcrossOrganizations } from "./passkeys/index.ts";
import * as store from "./store.ts";
import { removeExpiredChallengesAcrossOrganizations } from "./two-factor/index.ts";

export const jobs = [
  job({
    name: "auth.tidy",
    schedule: "7 * * * *",
    handle: async ({ db }) => {
      await store.removeExpiredSessionsAndLinks(db);
      await removeExpiredChallengesAcrossOrganizations(db);
      await removeExpiredPasskeyChallengesAcrossOrganizations(db);
    },
  }),
];
