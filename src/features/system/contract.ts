import { z } from "zod";
import { open, route } from "../../platform/http/index.ts";

const tag = "System";
/** People come to pages by links that others wrote. */
const anything = z.looseObject({});

export const home = route({
  method: "get",
  path: "/",
  tag,
  summary: "A page that says what this is",
  description: "A short page for a person who opens the address in a browser.",
  access: open,
  query: anything,
  raw: "text/html",
  replies: { 200: z.string() },
});

export const health = route({
  method: "get",
  path: "/health",
  tag,
  summary: "The process is up",
  description:
    "Answers as long as the process runs, without asking the database. For a supervisor that restarts it.",
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
  summary: "It can serve: database, migrations, jobs",
  description: "503 while something is missing. For a load balancer that decides where to send requests.",
  access: open,
  replies: { 200: Readiness, 503: Readiness },
});

export const version = route({
  method: "get",
  path: "/version",
  tag,
  summary: "What is running",
  description: "The version of the service, of Node.js and of the database.",
  access: open,
  replies: {
    200: z.strictObject({
      name: z.literal("signalbox"),
      version: z.string(),
      instance: z.string().describe("The same for every replica of one instance, different for another one."),
      publicUrl: z.string().describe("The address it goes by, in mails and to code hosts."),
      node: z.string(),
      database: z.string(),
    }),
  },
});

export const openapi = route({
  method: "get",
  path: "/openapi.json",
  tag,
  summary: "This description",
  description: "Has an `ETag`: with `If-None-Match`, 304 when it is still the same.",
  access: open,
  requestHeaders: {
    "If-None-Match": {
      description: "The `ETag` of the copy that the caller has.",
      example: '"Zt3mQ0pXb7cK9vLr2sYw8A"',
    },
  },
  replyHeaders: {
    ETag: { description: "Changes whenever the description does.", example: '"Zt3mQ0pXb7cK9vLr2sYw8A"' },
  },
  raw: "application/json",
  replies: { 200: z.record(z.string(), z.unknown()), 304: null },
});

export const docs = route({
  method: "get",
  path: "/docs",
  tag,
  summary: "The API reference, to read and try",
  description: "A page with every operation of this API, rendered from `/openapi.json`.",
  access: open,
  query: anything,
  raw: "text/html",
  replies: { 200: z.string() },
});

export const docsAsset = route({
  method: "get",
  path: "/docs/{file}",
  tag,
  summary: "What the reference page loads",
  description: "Scripts and styles of the reference page. Nothing else is served here.",
  access: open,
  params: z.strictObject({ file: z.string() }),
  raw: "text/plain",
  replies: { 200: z.string() },
  errors: { 404: "`file_not_found`" },
});

export const metrics = route({
  method: "get",
  path: "/metrics",
  tag,
  summary: "Prometheus metrics",
  description:
    "With METRICS_TOKEN as Bearer. Without it only from the machine itself, and only on an instance that nobody else can reach.",
  access: open,
  raw: "text/plain",
  replies: { 200: z.string() },
  errors: { 401: "Without the token, and not from this machine alone." },
});
