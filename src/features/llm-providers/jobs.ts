import { job } from "../../platform/jobs/index.ts";
import { removeRetiredAcrossOrganizations } from "./keys/index.ts";
import { removeOldSpendAcrossOrganizations } from "./spend/index.ts";

/** Rotated keys are not handed out after their time, whether this job has run or not. */
const removeRetiredKeys = job({
  name: "llm-providers.remove-retired-keys",
  everySeconds: 60,
  handle: async ({ db }) => {
    await removeRetiredAcrossOrganizations(db);
  },
});

const spendDays = 800;
const batchSize = 5_000;

const removeOldSpend = job({
  name: "llm-providers.remove-old-spend",
  schedule: "37 4 * * *",
  handle: async ({ db }) => {
    while ((await removeOldSpendAcrossOrganizations(db, spendDays, batchSize)) === batchSize);
  },
});

export const jobs = [removeRetiredKeys, removeOldSpend];
