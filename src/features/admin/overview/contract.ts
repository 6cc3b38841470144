import { z } from "zod";
import { operator, route } from "../../../platform/http/index.ts";
import { workerStates } from "../../workers/index.ts";
import { maxDays } from "../usage/index.ts";

const tag = "Admin reporting";

const WaitingWork = z
  .strictObject({
    name: z.string().describe("The kind of work: a job, or a queue such as `runs` or `syncs`."),
    waiting: z.int().describe("How many items could be taken now."),
    delayed: z.int().describe("How many items are due later, such as another try."),
    ageMs: z
      .int()
      .nullable()
      .describe("For how long the oldest item has been waiting. Null when none waits."),
  })
  .meta({ id: "AdminWaitingWork" });
export type WaitingWork = z.output<typeof WaitingWork>;

const Overview = z
  .strictObject({
    from: z.string().describe("The first day of the figures of runs and costs, in UTC."),
    to: z.string().describe("The last day of the figures of runs and costs, in UTC."),
    organizations: z
      .strictObject({
        total: z.int().describe("All organizations."),
        active: z.int().describe("Neither suspended nor unclaimed."),
        suspended: z.int().describe("Suspended organizations."),
        provisional: z.int().describe("Unclaimed workspaces that are not suspended."),
      })
      .meta({ id: "AdminOrganizationCounts" }),
    members: z
      .strictObject({
        total: z.int().describe("All members of all organizations."),
        active: z.int().describe("Members with access."),
        deactivated: z.int().describe("Members without access."),
      })
      .meta({ id: "AdminMemberCounts" }),
    users: z
      .strictObject({
        total: z.int().describe("All accounts of people."),
        verified: z.int().describe("With a confirmed address."),
        withSecondFactor: z.int().describe("With an authenticator app or a passkey."),
        activeLastWeek: z.int().describe("With a session that was used in the last seven days."),
      })
      .meta({ id: "AdminUserCounts" }),
    runs: z
      .strictObject({
        total: z.int().describe("Runs that ended in this time."),
        succeeded: z.int().describe("Runs that succeeded."),
        failed: z.int().describe("Runs that failed."),
        cancelled: z.int().describe("Runs that were cancelled."),
        skipped: z.int().describe("Runs that were skipped."),
        queued: z.int().describe("Runs that wait now."),
        running: z.int().describe("Runs that run now."),
      })
      .meta({ id: "AdminRunCounts" }),
    costMicros: z.int().describe("The cost of this time, in millionths of the currency."),
    failures: z.int().describe("Runs that failed in this time."),
    queue: z
      .strictObject({
        depth: z.int().describe("How many items of all kinds wait."),
        ageMs: z
          .int()
          .nullable()
          .describe("For how long the oldest item has been waiting. Null when none waits."),
        items: z
          .array(WaitingWork)
          .describe("Work of suspended organizations is not included: it waits until they are restored."),
      })
      .meta({ id: "AdminQueue" }),
    database: z
      .strictObject({
        bytes: z.int().describe("The size now."),
        growthBytes: z
          .int()
          .nullable()
          .describe("The difference to the first measurement of this time. Null before there is one."),
        history: z
          .array(
            z
              .strictObject({
                day: z.string().describe("The day of the measurement, in UTC."),
                bytes: z.int().describe("The size of the database."),
              })
              .meta({ id: "AdminDatabaseSize" }),
          )
          .describe("One measurement per day, oldest first."),
      })
      .meta({ id: "AdminDatabase" }),
    workers: z
      .strictObject({
        total: z.int().describe("Registered workers of all organizations."),
        states: z
          .record(z.enum(workerStates), z.int())
          .describe("How many workers are in each state. It is derived from the heartbeats at this moment."),
        runners: z.int().describe("Registered runners."),
        runnersSeen: z.int().describe("Runners that were in contact in the last five minutes."),
      })
      .meta({ id: "AdminWorkerCounts" }),
    version: z
      .strictObject({
        service: z.string().describe("The version of Signalbox."),
        node: z.string().describe("The version of Node.js."),
        database: z.string().describe("The database and its version."),
        migration: z.int().describe("The number of the newest migration."),
      })
      .meta({ id: "AdminVersions" }),
  })
  .meta({ id: "AdminOverview" });
export type Overview = z.output<typeof Overview>;

export const read = route({
  method: "get",
  path: "/v1/admin/overview",
  tag,
  summary: "Read the state of the instance",
  description:
    "Counts of organizations, people, runs and costs, waiting work, the size of the database, and versions. Nothing of what organizations store is part of it.",
  access: operator(),
  query: z.strictObject({
    days: z.coerce
      .number()
      .int()
      .min(1)
      .max(maxDays)
      .default(30)
      .describe("How many days the figures of runs, costs and growth cover, with today."),
  }),
  replies: { 200: Overview },
});
