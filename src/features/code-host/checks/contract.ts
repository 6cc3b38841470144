import { z } from "zod";
import { route } from "../../../platform/http/index.ts";
import { can } from "../../permissions/index.ts";

const checks = ["reachable", "access", "ref", "folder", "templates"] as const;
export type CheckName = (typeof checks)[number];

const Test = z
  .strictObject({
    ok: z.boolean().describe("Every check passed."),
    checks: z.array(
      z.strictObject({
        name: z.enum(checks),
        status: z.enum(["passed", "failed", "skipped"]).describe("`skipped`: an earlier step failed."),
        message: z.string(),
      }),
    ),
    commit: z.string().nullable().describe("What the ref points to."),
    templateCount: z.int().nullable().describe("The number of templates that the folder would create."),
    problems: z
      .array(z.strictObject({ path: z.string(), line: z.int().nullable(), message: z.string() }))
      .describe("Files that would not become a template. The first hundred."),
  })
  .meta({ id: "ConnectorTest" });
export type Test = z.output<typeof Test>;

export const test = route({
  method: "post",
  path: "/v1/connectors/{id}/test",
  tag: "Connectors",
  summary: "Try to read the repository, step by step, without changing anything",
  description:
    "Checks the address, the access, the ref, the folder and the files, in this order. The reply names the step that failed and what to do.",
  access: can("connectors:manage"),
  params: z.strictObject({ id: z.string().min(1).max(160) }),
  replies: { 200: z.strictObject({ test: Test }) },
  limit: { attempts: 30, perSeconds: 60 },
});
