import { beforeAll, describe, expect, test } from "vitest";
import { createWorkspace, useServer, type Workspace } from "../../../../test/harness.ts";
import {
  beat,
  createRegistrationToken,
  createWorker,
  readWorker,
  reportRuntime,
} from "../../../../test/workers.ts";

describe("the timeline of a worker", () => {
  const server = useServer();
  let acme: Workspace;
  beforeAll(async () => {
    acme = await createWorkspace(server);
  });
  const listActivity = async (id: string, type: string) =>
    (
      await server.call(`/v1/workers/${id}/activity?limit=100`, { headers: acme.owner.auth })
    ).body.items.filter((one: { type: string }) => one.type === type);

  test("has a limited number of changes of the version in a day, the last one with what is true now", async () => {
    const worker = await createWorker(server, acme.owner.auth);
    for (let i = 0; i < 30; i++) await reportRuntime(server, worker, { version: i % 2 ? "2.0.0" : "1.0.0" });
    const changes = await listActivity(worker.id, "version_changed");
    expect(changes).toHaveLength(20);
    expect(changes[0].detail).toMatchObject({ to: "2.0.0", repeats: 10 });
    expect(changes[1].detail).not.toHaveProperty("repeats");
  });

  test("has a limited number of registrations of a machine that registers again and again", async () => {
    const { auth } = await createRegistrationToken(server, acme.owner.auth);
    const register = () =>
      server.call("/v1/workers/register", { body: { instanceId: "machine-flapping" }, headers: auth });
    const { worker } = (await register()).body;
    for (let i = 0; i < 24; i++) expect((await register()).status).toBe(201);
    const registrations = await listActivity(worker.id, "registered");
    expect(registrations).toHaveLength(20);
    expect(registrations[0].detail).toMatchObject({ again: true, repeats: 5 });
  });
});

describe("the sequence of heartbeats", () => {
  const server = useServer();
  let acme: Workspace;
  beforeAll(async () => {
    acme = await createWorkspace(server);
  });

  test("starts again below 2^52 after a heartbeat beyond, so that no number locks a worker out", async () => {
    const worker = await createWorker(server, acme.owner.auth);
    const largest = Number.MAX_SAFE_INTEGER;
    expect((await beat(server, worker, largest)).body.sequence).toBe(largest);
    expect((await beat(server, worker, largest, { status: "busy" })).body.sequence).toBe(largest);
    expect((await beat(server, worker, 0, { status: "busy" })).body.sequence).toBe(0);
    expect((await readWorker(server, acme.owner.auth, worker.id)).state).toBe("busy");
    expect((await beat(server, worker, 1)).body.sequence).toBe(1);
    expect((await beat(server, worker, 0, { status: "busy" })).body.sequence).toBe(1);
  });

  test("starts again also when both heartbeats arrive together", async () => {
    const worker = await createWorker(server, acme.owner.auth);
    await beat(server, worker, 2 ** 52);
    await Promise.all([beat(server, worker, 2 ** 52 + 1), beat(server, worker, 0), beat(server, worker, 1)]);
    expect((await beat(server, worker, 2)).body.sequence).toBe(2);
  });
});
