import { z } from "zod";
import { lineOfText, machine, route } from "../../../platform/http/index.ts";
import { idSchema } from "../../../platform/ids.ts";
import { can } from "../../permissions/index.ts";
import { Desired } from "../desired/index.ts";
import { Freshness, Skew } from "../states/index.ts";
import { version } from "../upgrades/index.ts";

const tag = "Worker Runtime";
const params = z.strictObject({ id: z.string() });

const Service = z
  .strictObject({
    name: lineOfText(60),
    status: z.enum(["healthy", "degraded", "failing"]),
    message: z.string().max(500).optional().describe("What is wrong, for people."),
  })
  .meta({ id: "WorkerService" });

const limits = z
  .record(z.string().min(1).max(60), z.number())
  .refine((entries) => Object.keys(entries).length <= 20, "At most 20 limits.");

export const Runtime = z
  .strictObject({
    version: z.string().nullable().describe("The product version. Null before the first report."),
    apiVersion: z.int().nullable().describe("The version of the worker API that it speaks."),
    platform: z.string().nullable(),
    arch: z.string().nullable(),
    capabilities: z.array(z.string()),
    limits: z.record(z.string(), z.number()).describe("Such as `concurrency` and `memoryMb`."),
    services: z.array(Service),
    health: z
      .enum(["unknown", "healthy", "degraded", "failing"])
      .describe("The worst status of its services."),
    configurationRevision: z.int().nullable().describe("The configuration that it uses."),
    desiredVersion: z.string().nullable(),
    desiredConfigurationRevision: z.int(),
    drift: z.boolean().describe("It does not run the desired version, or not the desired configuration."),
    skew: Skew.describe(
      "Its API version compared with the server's: `current`, still `supported`, or `unsupported`.",
    ),
    freshness: Freshness,
    reportedAt: z.int().nullable(),
  })
  .meta({ id: "WorkerRuntime" });
export type Runtime = z.output<typeof Runtime>;

export const report = route({
  method: "put",
  path: "/v1/workers/{id}/runtime",
  tag,
  summary: "Report what a worker runs",
  description:
    "A worker calls this when it starts and when something has changed. A report of the desired version ends its upgrade. A report with a new `bootId` is a new process: it is `online`, and an earlier drain request does not apply to it.",
  access: machine({ credentials: ["worker"] }),
  params,
  // A newer worker may send more fields.
  query: z.object({}),
  body: z.object({
    version: version.describe("The product version."),
    apiVersion: z.int().min(0).max(1_000_000).describe("The version of the worker API that it speaks."),
    platform: lineOfText(60).describe("Such as `linux` or `darwin`."),
    arch: lineOfText(60).describe("Such as `x64` or `arm64`."),
    capabilities: z.array(lineOfText(60)).max(50).describe("What it can do, such as `runner`."),
    limits: limits.default({}).describe("Such as `concurrency` and `memoryMb`."),
    services: z.array(Service).max(20).default([]).describe("The health of what it depends on."),
    bootId: lineOfText(60).optional().describe("Chosen anew by each process."),
    configurationRevision: z
      .int()
      .min(0)
      .max(2_147_483_647)
      .optional()
      .describe("The configuration that it uses."),
  }),
  replies: {
    200: z.strictObject({
      workerId: idSchema("wrk").describe("The worker that the token is for."),
      runtime: Runtime,
      desired: Desired,
      sequence: z.int().describe("The greatest sequence of a heartbeat, −1 before the first."),
      nextHeartbeatSeconds: z.number().describe("When the next heartbeat is due, with some jitter."),
    }),
  },
});
export type RuntimeReport = z.output<(typeof report)["body"]>;

export const read = route({
  method: "get",
  path: "/v1/workers/{id}/runtime",
  tag,
  summary: "Read what a worker runs",
  description: "The latest report of the worker, beside what is desired.",
  access: can("workers:read"),
  params,
  replies: { 200: z.strictObject({ runtime: Runtime }) },
});
