import { job } from "../../platform/jobs/index.ts";
import * as store from "./store.ts";
import { removeExpiredOfAll } from "./two-factor/index.ts";

export const jobs = [
  job({
    name: "auth.tidy",
    schedule: "7 * * * *",
    handle: async ({ db }) => {
      await store.removeExpired(db);
      await removeExpiredOfAll(db);
    },
  }),
];
