import { job } from "../../platform/jobs/index.ts";
import { removeExpiredTokens } from "./connectors/index.ts";
import { jobs as linking } from "./linking/index.ts";

export const jobs = [
  ...linking,
  job({
    name: "scim.tokens",
    schedule: "41 3 * * *",
    async handle(platform) {
      await removeExpiredTokens(platform);
    },
  }),
];
