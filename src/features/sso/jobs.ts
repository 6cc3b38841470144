import { job } from "../../platform/jobs/index.ts";
import { removeEarlierSecretsAcrossOrganizations } from "./connectors/index.ts";
import { checkDueDomains } from "./domains/index.ts";
import { removeExpiredAttempts } from "./sign-in/index.ts";

export const jobs = [
  job({
    name: "sso.domains",
    schedule: "23 * * * *",
    handle: checkDueDomains,
  }),
  job({
    name: "sso.tidy",
    schedule: "41 * * * *",
    handle: async ({ db }) => {
      await removeExpiredAttempts(db);
      await removeEarlierSecretsAcrossOrganizations(db);
    },
  }),
];
