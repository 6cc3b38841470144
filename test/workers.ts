import { sql } from "../src/platform/db/index.ts";
import type { TestServer } from "./harness.ts";

type Auth = Record<string, string>;
let made = 0;

export interface TestWorker {
  id: string;
  token: string;
  auth: { authorization: string };
}

export const workerBody = (body: Record<string, unknown> = {}) => ({
  name: `worker-${++made}-${Date.now()}`,
  kind: "remote",
  ...body,
});

export async function createWorker(
  server: TestServer,
  headers: Auth,
  body: Record<string, unknown> = {},
): Promise<TestWorker> {
  const reply = await server.call("/v1/workers", { body: workerBody(body), headers });
  if (reply.status !== 201) throw new Error(`worker failed: ${reply.status} ${JSON.stringify(reply.body)}`);
  const { worker, token } = reply.body;
  return { id: worker.id, token, auth: { authorization: `Bearer ${token}` } };
}

export async function createRegistrationToken(
  server: TestServer,
  headers: Auth,
  body: Record<string, unknown> = {},
): Promise<{ id: string; token: string; auth: { authorization: string } }> {
  const path = "/v1/worker-registration-tokens";
  const reply = await server.call(path, { body: { name: "Machines", kind: "remote", ...body }, headers });
  if (reply.status !== 201) throw new Error(`${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
  const { registrationToken, token } = reply.body;
  return { id: registrationToken.id, token, auth: { authorization: `Bearer ${token}` } };
}

export const runtimeBody = (body: Record<string, unknown> = {}) => ({
  version: "1.0.0",
  apiVersion: 1,
  platform: "linux",
  arch: "x64",
  capabilities: ["runner"],
  ...body,
});

export const reportRuntime = (
  server: TestServer,
  { id, auth }: TestWorker,
  body: Record<string, unknown> = {},
) => server.call(`/v1/workers/${id}/runtime`, { method: "PUT", body: runtimeBody(body), headers: auth });

export const beat = (
  server: TestServer,
  { id, auth }: TestWorker,
  sequence: number,
  body: Record<string, unknown> = {},
) =>
  server.call(`/v1/workers/${id}/activity-heartbeat`, {
    body: { sequence, at: Date.now(), status: "idle", ...body },
    headers: auth,
  });

/** The time since the test's database was prepared counts as an outage, in which nobody is unseen. */
export const forgetOutages = (server: TestServer) =>
  server.platform.db.run(sql`update worker_service set outages = '{}', alive_at = now()`);

/** Moves the last heartbeat of a worker into the past. */
export const passTime = (server: TestServer, workerId: string, seconds: number) =>
  server.platform.db.run(sql`
    update worker_beats set seen_at = seen_at - make_interval(secs => ${seconds}::int) where worker_id = ${workerId}`);

export const readWorker = async (server: TestServer, headers: Auth, id: string) =>
  (await server.call(`/v1/workers/${id}`, { headers })).body.worker;

export const runWorkerJob = async (
  server: TestServer,
  name: "workers.sweep" | "workers.fleet",
): Promise<void> => {
  const { room } = await import("../src/features/workers/index.ts");
  await room.jobs!.find((job) => job.name === name)!.handle(server.platform, {});
};
