import { z } from "zod";
import { open, route } from "../../platform/http/index.ts";

const tag = "System";

export const home = route({
  method: "get",
  path: "/",
  tag,
  summary: "A page that says what this is",
  access: open,
  raw: "text/html",
  replies: { 200: z.string() },
});

export const health = route({
  method: "get",
  path: "/health",
  tag,
  summary: "The process is up",
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
  access: open,
  replies: { 200: Readiness, 503: Readiness },
});

export const version = route({
  method: "get",
  path: "/version",
  tag,
  summary: "What is running",
  access: open,
  replies: {
    200: z.strictObject({
      name: z.literal("signalbox"),
      version: z.string(),
      instance: z.string().describe("The same for every replica of one instance, different for another one."),
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
  access: open,
  replies: { 200: z.record(z.string(), z.unknown()) },
});

export const docs = route({
  method: "get",
  path: "/docs",
  tag,
  summary: "The API reference, to read and try",
  access: open,
  raw: "text/html",
  replies: { 200: z.string() },
});

export const docsAsset = route({
  method: "get",
  path: "/docs/{file}",
  tag,
  summary: "What the reference page loads",
  access: open,
  params: z.strictObject({ file: z.string() }),
  raw: "text/plain",
  replies: { 200: z.string() },
});

export const metrics = route({
  method: "get",
  path: "/metrics",
  tag,
  summary: "Prometheus metrics",
  description: "From this machine itself, or with METRICS_TOKEN as Bearer.",
  access: open,
  raw: "text/plain",
  replies: { 200: z.string() },
  errors: { 401: "Neither from this machine nor with the token." },
});
