import { job } from "../../platform/jobs/index.ts";
import { deliverDue, hasDueDeliveries, pruneDeliveries } from "./deliveries/index.ts";
import { hasDueDigests, mailDueDigests, removeIdleDigestsAcrossOrganizations } from "./digests/index.ts";
import { removeOldSecretsAcrossOrganizations } from "./endpoints/index.ts";
import { fanOut } from "./fan-out.ts";
import { hasWaiting, removeOldAcrossOrganizations } from "./store.ts";

/** The rows are the queue, so committed events are found even after a crash. */
const fanOutEvents = job({
  name: "notifications.fan-out",
  everySeconds: 1,
  isDue: hasWaiting,
  retries: 0,
  handle: (platform) => fanOut(platform),
});

const deliver = job({
  name: "notifications.deliver",
  everySeconds: 1,
  isDue: hasDueDeliveries,
  retries: 0,
  handle: (platform) => deliverDue(platform),
});

const mail = job({
  name: "notifications.mail",
  everySeconds: 5,
  isDue: hasDueDigests,
  retries: 0,
  handle: (platform) => mailDueDigests(platform),
});

/** One round stops after this time. The next round continues. */
const roundMs = 60_000;
/** A failure that lasts longer than this is announced again. */
const eventRetentionDays = 30;
const batchSize = 500;

const prune = job({
  name: "notifications.prune",
  schedule: "*/10 * * * *",
  async handle(platform) {
    const { db } = platform;
    const until = Date.now() + roundMs;
    await removeOldSecretsAcrossOrganizations(db);
    while (
      Date.now() < until &&
      (await removeOldAcrossOrganizations(db, eventRetentionDays, batchSize)) === batchSize
    );
    while (Date.now() < until && (await removeIdleDigestsAcrossOrganizations(db, batchSize)) === batchSize);
    await pruneDeliveries(platform, until);
  },
});

export const jobs = [fanOutEvents, deliver, mail, prune];
