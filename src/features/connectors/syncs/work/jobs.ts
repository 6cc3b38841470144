import { job } from "../../../../platform/jobs/index.ts";
import * as store from "./store.ts";
import { workerOf } from "./worker.ts";

/** New work is announced; what was put off, or left by a worker that died, is found by looking. */
export const work = job({
  name: "connectors.work",
  everySeconds: 2,
  retries: 0,
  handle: (platform) => workerOf(platform).run(),
});

/** How long after its end. */
export const syncsKeptDays = 30;
const atOnce = 2_000;

export const tidy = job({
  name: "connectors.tidy",
  schedule: "40 3 * * *",
  async handle({ db }) {
    while ((await store.removeOldOfAll(db, syncsKeptDays, atOnce)) === atOnce);
  },
});
