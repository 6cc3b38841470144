import { job } from "../../platform/jobs/index.ts";
import * as store from "./store.ts";

export const jobs = [
  job({
    name: "auth.tidy",
    schedule: "7 * * * *",
    handle: async ({ db }) => {
      await store.removeExpired(db);
    },
  }),
];
