import { job } from "../../platform/jobs/index.ts";
import { removeUnusedCredentialsAcrossOrganizations } from "./clients/index.ts";
import { removeExpiredAttemptsAcrossOrganizations } from "./connect/index.ts";
import { expireConnections, removeEndedConnectionsAcrossOrganizations } from "./connections/index.ts";
import { removeOldEvents } from "./events/index.ts";
import { revokePending } from "./revocations/index.ts";
import { refreshExpiring, removeEndedTokensAcrossOrganizations } from "./tokens/index.ts";

const endedDays = 90;

/** Every minute, so that tokens of expired attempts are revoked soon. */
const removeExpiredAttempts = job({
  name: "oauth.tidy-attempts",
  everySeconds: 60,
  handle: async ({ db }) => {
    await removeExpiredAttemptsAcrossOrganizations(db);
  },
});

/** Finds connections that expire while no agent asks for their token. */
const expireConnectionsJob = job({
  name: "oauth.expire",
  everySeconds: 60,
  handle: ({ db }) => expireConnections(db),
});

const removeOldRows = job({
  name: "oauth.tidy",
  schedule: "23 * * * *",
  handle: async ({ db }) => {
    await removeEndedConnectionsAcrossOrganizations(db, endedDays);
    await removeEndedTokensAcrossOrganizations(db);
    await removeUnusedCredentialsAcrossOrganizations(db);
  },
});

export const jobs = [
  refreshExpiring,
  revokePending,
  removeExpiredAttempts,
  expireConnectionsJob,
  removeOldEvents,
  removeOldRows,
];
