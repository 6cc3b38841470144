import { job } from "../../platform/jobs/index.ts";
import { removeUnusedCredentialsOfAll } from "./clients/index.ts";
import { removeExpiredAttemptsOfAll } from "./connect/index.ts";
import { expireConnections, removeEndedConnectionsOfAll } from "./connections/index.ts";
import { removeOldEventsOfAll } from "./events/index.ts";
import { revokePending } from "./revocations/index.ts";
import { keepFresh, removeOverTokensOfAll } from "./tokens/index.ts";

const endedDays = 90;
const issuedDays = 90;
const eventDays = 400;

/** What waited too long, each minute: what a provider gave in vain is handed back soon. */
const tidyAttempts = job({
  name: "oauth.tidy-attempts",
  schedule: "* * * * *",
  handle: async ({ db }) => {
    await removeExpiredAttemptsOfAll(db);
  },
});

/** Finds connections that expire while no agent asks for their token. */
const expire = job({
  name: "oauth.expire",
  schedule: "* * * * *",
  handle: ({ db }) => expireConnections(db),
});

const tidy = job({
  name: "oauth.tidy",
  schedule: "23 * * * *",
  handle: async ({ db }) => {
    await removeEndedConnectionsOfAll(db, endedDays);
    await removeOldEventsOfAll(db, issuedDays, eventDays);
    await removeOverTokensOfAll(db);
    await removeUnusedCredentialsOfAll(db);
  },
});

export const jobs = [keepFresh, revokePending, tidyAttempts, expire, tidy];
