/** Templates, connectors and syncs as the tests make them, over HTTP like everybody. */
import { jobs } from "../src/app.ts";
import { sql } from "../src/platform/db/index.ts";
import type { TestServer } from "./harness.ts";

type Auth = Record<string, string>;

let made = 0;

export async function createTemplate(server: TestServer, headers: Auth, more: Record<string, unknown> = {}) {
  const body = { name: `Template ${++made}`, body: "Be kind.", ...more };
  const reply = await server.call("/v1/templates", { body, headers });
  if (reply.status !== 201) throw new Error(`template failed: ${reply.status} ${JSON.stringify(reply.body)}`);
  return reply.body.template as { id: string; slug: string; version: number };
}

/** Nothing listens there, and everything about it is well-formed. */
export const connectorBody = (more: Record<string, unknown> = {}) => ({
  name: "Handbook",
  codehost: "git",
  repository: "acme/handbook",
  cloneUrl: "http://127.0.0.9:60999/acme/handbook.git",
  ref: "main",
  folder: "templates",
  ...more,
});

export interface MadeConnector {
  id: string;
  webhookUrl: string;
  webhookSecret: string;
  lastSync: { id: string };
}

export async function createConnector(
  server: TestServer,
  headers: Auth,
  more: Record<string, unknown> = {},
): Promise<MadeConnector> {
  const reply = await server.call("/v1/connectors", { body: connectorBody(more), headers });
  if (reply.status !== 201)
    throw new Error(`connector failed: ${reply.status} ${JSON.stringify(reply.body)}`);
  return { ...reply.body.connector, webhookSecret: reply.body.webhookSecret };
}

/** A template's file. */
export const templateFile = (name: string, body = "Be kind.", more = "") =>
  `---\nname: ${name}\n${more}---\n${body}\n`;

const jobOf = (name: string) => jobs.find((job) => job.name === name)!;

/** What a worker would do within two seconds: every sync that is due. Resolves when all of them have ended. */
export const workSyncs = (server: TestServer) => jobOf("connectors.work").handle(server.platform, {});

/** What the sweep would do within minutes: look at this connector now. */
export async function sweepNow(server: TestServer, connectorId: string) {
  await server.platform.db.run(
    sql`update connectors set checked_at = case when id = ${connectorId} then null else now() end`,
  );
  await jobOf("connectors.sweep").handle(server.platform, {});
}
