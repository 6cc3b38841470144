import { z } from "zod";
import { open, route } from "../../platform/http/index.ts";

const tag = "System";

export const health = route({
  method: "get",
  path: "/health",
  tag,
  summary: "Check that the process runs",
  description:
    "Answers while the process runs, without a database query. For a supervisor that restarts the process.",
  access: open,
  replies: { 200: z.strictObject({ status: z.literal("ok") }) },
});

const verdict = z.enum(["ok", "failing"]);
const Readiness = z
  .strictObject({
    status: z.enum(["ready", "not_ready"]),
    checks: z.strictObject({ database: verdict, migrations: verdict, jobs: verdict }),
  })
  .meta({ id: "Readiness" });

export const ready = route({
  method: "get",
  path: "/ready",
  tag,
  summary: "Check that the instance can serve: database, migrations, jobs",
  description: "Answers 503 while a check fails. For a load balancer that decides where to send requests.",
  access: open,
  replies: { 200: Readiness, 503: Readiness },
});

export const version = route({
  method: "get",
  path: "/version",
  tag,
  summary: "Read the version of the service",
  description: "The version of the service, of Node.js and of the database.",
  access: open,
  replies: {
    200: z.strictObject({
      name: z.literal("signalbox"),
      version: z.string(),
      instance: z.string().describe("The id of the instance. All replicas of an instance have the same one."),
      publicUrl: z.string().describe("The public address of the instance, used in mails and by code hosts."),
      node: z.string(),
      database: z.string(),
    }),
  },
});

export const instance = route({
  method: "get",
  path: "/v1/instance",
  tag,
  summary: "Read what a sign-in page needs to know",
  description:
    "Whether there is an account yet, who may create one, which ways to sign in exist, and whether the instance holds the demo workspace. It names no organization and no person.",
  access: open,
  replies: {
    200: z
      .strictObject({
        isEmpty: z.boolean().describe("True until the first account is created."),
        signUp: z
          .enum(["open", "invited", "closed"])
          .describe(
            "Who may create an account: everybody, people with an invitation, or nobody. While the instance is empty, the first account can be created in any case, and the value is `open`.",
          ),
        bootstrap: z
          .enum(["open", "closed"])
          .describe("Whether agents may create workspaces without an account."),
        isDemo: z.boolean().describe("True while the instance holds the workspace of `signalbox demo`."),
        signInMethods: z
          .strictObject({
            password: z.boolean().describe("Whether people can sign in with a password."),
            passkey: z.boolean().describe("Whether people can sign in with a passkey."),
            sso: z
              .boolean()
              .describe(
                "Whether an organization here has single sign-on. `GET /v1/sso/resolve` finds it by an e-mail address.",
              ),
          })
          .describe("The ways to sign in."),
      })
      .meta({ id: "Instance" }),
  },
});

export const openapi = route({
  method: "get",
  path: "/openapi.json",
  tag,
  summary: "Read the API description",
  description:
    "The reply has an `ETag`. A request with that `If-None-Match` gets 304 while nothing has changed.",
  access: open,
  requestHeaders: {
    "If-None-Match": {
      description: "The `ETag` of the copy that the caller has.",
      example: '"Zt3mQ0pXb7cK9vLr2sYw8A"',
    },
  },
  replyHeaders: {
    ETag: { description: "Changes when the API description changes.", example: '"Zt3mQ0pXb7cK9vLr2sYw8A"' },
  },
  raw: "application/json",
  replies: { 200: z.record(z.string(), z.unknown()), 304: null },
});

export const metrics = route({
  method: "get",
  path: "/metrics",
  tag,
  summary: "Prometheus metrics",
  description:
    "Needs METRICS_TOKEN as Bearer token. On a loopback-only instance, requests from the machine itself need no token.",
  access: open,
  raw: "text/plain",
  replies: { 200: z.string() },
  errors: { 401: "The token is missing or wrong." },
});
