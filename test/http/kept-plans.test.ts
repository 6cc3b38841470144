/** PostgreSQL plans the statements of frequent requests once, also when these come one at a time. */
import { randomUUID } from "node:crypto";
import { expect, inject, test } from "vitest";
import { sql } from "../../src/platform/db/index.ts";
import { event, queueRun, report } from "../automations.ts";
import { createWorkspace, useServer } from "../harness.ts";
import { getToken, seedConnection, startConnection } from "../oauth.ts";
import { insertConnector, pushBody, signedHeaders } from "../webhooks.ts";

const server = useServer();
/** Enough requests that at least one connection executes each statement more than ten times. */
const rounds = 60;
/** After five plans for the values of one execution, PostgreSQL compares them with a plan for all values. */
const plansBeforeKept = 5;

test.runIf(inject("engine") === "postgres")("statements of frequent requests keep their plans", async () => {
  const acme = await createWorkspace(server);
  const headers = acme.owner.auth;
  const { providerId } = await seedConnection(server, acme);
  const connector = await insertConnector(server.platform, acme.orgId);
  const run = await queueRun(server, headers);
  const push = async () => {
    const body = pushBody(connector);
    return fetch(`${server.url}/v1/webhooks/connectors/codehost?connector=${connector.id}`, {
      method: "POST",
      headers: signedHeaders.github(connector.secret, body, { id: randomUUID() }),
      body,
    });
  };
  const sendTelemetry = () => {
    const call = { id: randomUUID(), type: "model_call", at: Date.now(), model: "gpt-4o" };
    return server.call("/v1/telemetry/events", { headers, body: { events: [call] } });
  };
  for (let n = 0; n < rounds; n++) {
    expect((await push()).status).toBe(202);
    expect((await report(server, headers, run.id, event(n))).status).toBe(200);
    expect((await getToken(server, headers, providerId)).status).toBe(200);
    expect((await startConnection(server, headers, providerId)).status).toBe(200);
    expect((await sendTelemetry()).status).toBe(200);
  }
  const db = server.platform.db.withOptions({ work: "read" });
  // Prepared statements belong to a connection, and each of these reads uses another one.
  const read = () =>
    db.rows<{ statement: string; made: number; used: number }>(
      sql`select statement, custom_plans as made, custom_plans + generic_plans as used from pg_prepared_statements`,
    );
  const statements = (await Promise.all(Array.from({ length: 5 }, read))).flat();
  const frequent = statements.filter(({ used }) => used > 2 * plansBeforeKept);
  for (const table of [
    "webhook_deliveries",
    "automation_events",
    "oauth_connection_events",
    "oauth_attempts",
  ])
    expect(frequent.some(({ statement }) => statement.includes(`insert into ${table} `))).toBe(true);
  expect(frequent.filter(({ made }) => made > plansBeforeKept)).toEqual([]);
});
