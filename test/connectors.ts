/** Creates templates, connectors and syncs over HTTP. */
import { jobs } from "../src/app.ts";
import { sql } from "../src/platform/db/index.ts";
import type { TestServer } from "./harness.ts";

type Auth = Record<string, string>;

let createdCount = 0;

export async function createTemplate(server: TestServer, headers: Auth, more: Record<string, unknown> = {}) {
  const body = { name: `Template ${++createdCount}`, body: "Be kind.", ...more };
  const reply = await server.call("/v1/templates", { body, headers });
  if (reply.status !== 201) throw new Error(`template failed: ${reply.status} ${JSON.stringify(reply.body)}`);
  return reply.body.template as { id: string; slug: string; version: number };
}

/** A valid body. Nothing listens at its clone URL. */
export const connectorBody = (more: Record<string, unknown> = {}) => ({
  name: "Handbook",
  codehost: "git",
  repository: "acme/handbook",
  cloneUrl: "http://127.0.0.9:60999/acme/handbook.git",
  ref: "main",
  folder: "templates",
  ...more,
});

export interface CreatedConnector {
  id: string;
  webhookUrl: string;
  webhookSecret: string;
  lastSync: { id: string };
}

export async function createConnector(
  server: TestServer,
  headers: Auth,
  more: Record<string, unknown> = {},
): Promise<CreatedConnector> {
  const reply = await server.call("/v1/connectors", { body: connectorBody(more), headers });
  if (reply.status !== 201)
    throw new Error(`connector failed: ${reply.status} ${JSON.stringify(reply.body)}`);
  return { ...reply.body.connector, webhookSecret: reply.body.webhookSecret };
}

/** A template's file. */
export const templateFile = (name: string, body = "Be kind.", more = "") =>
  `---\nname: ${name}\n${more}---\n${body}\n`;

const findJob = (name: string) => jobs.find((job) => job.name === name)!;

/** Runs every due sync, as a worker does within two seconds. Resolves when all of them have ended. */
export const runSyncs = (server: TestServer) => findJob("connectors.work").handle(server.platform, {});

/** Removes what deleted connectors have left, which otherwise happens within a minute. */
export const removeLeftoversOfConnectors = (server: TestServer) =>
  findJob("connectors.remove_leftovers").handle(server.platform, {});

/** Runs the sweep for this connector now, which otherwise happens within minutes. */
export async function sweepConnector(server: TestServer, connectorId: string) {
  await server.platform.db.run(
    sql`update connectors set checked_at = case when id = ${connectorId} then null else now() end`,
  );
  await findJob("connectors.sweep").handle(server.platform, {});
}
