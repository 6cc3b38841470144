import { job } from "../../platform/jobs/index.ts";
import { removeOldActivityAcrossOrganizations } from "./activity/index.ts";
import { removeExpiredSecretsAcrossOrganizations } from "./registration-tokens/index.ts";
import { continueRollouts } from "./rollouts/index.ts";
import { adaptInterval } from "./service-times/index.ts";
import { hasWorkers } from "./store.ts";
import { removeUnseen, sweepStates } from "./sweep.ts";
import { removeExpiredTokensAcrossOrganizations } from "./tokens/index.ts";
import { timeOutUpgrades } from "./upgrades/index.ts";

/** Seconds between two looks at the states. The timeline misses states that are shorter. */
const sweepSeconds = 10;

const sweep = job({
  name: "workers.sweep",
  everySeconds: sweepSeconds,
  isDue: hasWorkers,
  retries: 0,
  async handle(platform) {
    await sweepStates(platform);
    await timeOutUpgrades(platform);
  },
});

const fleet = job({
  name: "workers.fleet",
  everySeconds: 60,
  isDue: hasWorkers,
  retries: 0,
  async handle(platform) {
    await adaptInterval(platform);
    await continueRollouts(platform);
    await removeUnseen(platform);
  },
});

const activityDays = 30;
const batchSize = 1_000;
/** One round stops after this time. The next round continues. */
const roundMs = 60_000;

const prune = job({
  name: "workers.prune",
  schedule: "*/10 * * * *",
  async handle({ db }) {
    await removeExpiredTokensAcrossOrganizations(db);
    await removeExpiredSecretsAcrossOrganizations(db);
    const until = Date.now() + roundMs;
    while (
      Date.now() < until &&
      (await removeOldActivityAcrossOrganizations(db, activityDays, batchSize)) === batchSize
    );
  },
});

export const jobs = [sweep, fleet, prune];
