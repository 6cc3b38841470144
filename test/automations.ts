import { sql } from "../src/platform/db/index.ts";
import type { Reply, TestServer } from "./harness.ts";

export type Auth = Record<string, string>;

export const everyDay = { kind: "daily", hour: 9, minute: 0, timezone: "Europe/Berlin" };

export async function createAutomation(
  server: TestServer,
  headers: Auth,
  body: Record<string, unknown> = {},
) {
  const reply = await server.call("/v1/automations", {
    body: { name: "Triage", instructions: "Look at new issues.", schedule: { kind: "manual" }, ...body },
    headers,
  });
  if (reply.status !== 201)
    throw new Error(`automation failed: ${reply.status} ${JSON.stringify(reply.body)}`);
  return reply.body.automation;
}

/** A queued run of a new automation. */
export async function queueRun(server: TestServer, headers: Auth, body: Record<string, unknown> = {}) {
  const automation = await createAutomation(server, headers, body);
  return runNow(server, headers, automation.id);
}

export async function runNow(server: TestServer, headers: Auth, automationId: string) {
  const { status, body } = await server.call(`/v1/automations/${automationId}/run`, {
    method: "POST",
    headers,
  });
  if (status !== 202) throw new Error(`run failed: ${status} ${JSON.stringify(body)}`);
  return body.run;
}

export const claim = async (server: TestServer, headers: Auth, id: string) =>
  (await server.call(`/v1/automation-runs/${id}/claim`, { method: "POST", headers })).body.assignment;

export const event = (sequence: number, more: Record<string, unknown> = {}) => ({
  attempt: 1,
  sequence,
  type: "assistant",
  payload: { text: `event ${sequence}` },
  createdAt: 1_700_000_000_000 + sequence,
  ...more,
});

export const report = (server: TestServer, headers: Auth, id: string, body: unknown): Promise<Reply> =>
  server.call(`/v1/automation-runs/${id}/events`, { body, headers });

export const reportBatch = (server: TestServer, headers: Auth, id: string, events: unknown): Promise<Reply> =>
  server.call(`/v1/automation-runs/${id}/events/batch`, { body: { events }, headers });

export const complete = (server: TestServer, headers: Auth, id: string, body: unknown): Promise<Reply> =>
  server.call(`/v1/automation-runs/${id}/complete`, { body, headers });

export const readRun = async (server: TestServer, headers: Auth, id: string) =>
  (await server.call(`/v1/automation-runs/${id}`, { headers })).body;

export const readEvents = async (server: TestServer, headers: Auth, id: string) =>
  (await server.call(`/v1/automation-runs/${id}/events?limit=100`, { headers })).body.items;

/** As if the holder had been silent for longer than its lease. */
export const loseLease = (server: TestServer, id: string) =>
  server.platform.db.run(sql`
    update automation_runs set lease_expires_at = now() - interval '1 second' where id = ${id} and status = 'running'`);

/** Headers of a runner of that person. */
export async function createRunner(
  server: TestServer,
  headers: Auth,
  body: Record<string, unknown> = {},
): Promise<{ auth: Auth; token: string; eventsPath: string }> {
  const runnerId = `runner-${Math.random().toString(36).slice(2)}`;
  const reply = await server.call("/v1/automation-runners/token", { body: { runnerId, ...body }, headers });
  if (reply.status !== 200) throw new Error(`runner failed: ${reply.status} ${JSON.stringify(reply.body)}`);
  const { token, eventsPath } = reply.body;
  return { auth: { authorization: `Bearer ${token}` }, token, eventsPath };
}
