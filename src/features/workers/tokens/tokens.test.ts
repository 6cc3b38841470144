import { beforeAll, describe, expect, test } from "vitest";
import {
  createKey,
  createRole,
  createWorkspace,
  joinWorkspace,
  useServer,
  type Workspace,
} from "../../../../test/harness.ts";
import { createProvider } from "../../../../test/llm-providers.ts";
import { beat, createRegistrationToken, createWorker, type TestWorker } from "../../../../test/workers.ts";
import { sql } from "../../../platform/db/index.ts";
import { invalidateCallers } from "../../../platform/http/index.ts";

describe("tokens of workers", () => {
  const server = useServer({ role: "all" });
  let acme: Workspace;
  beforeAll(async () => {
    acme = await createWorkspace(server);
  });
  type Auth = Record<string, string>;
  const call = (method: string, path: string, headers: Auth, body?: object) =>
    server.call(path, { method, headers, ...(body ? { body } : {}) });
  const rotate = (id: string, headers: Auth, body: object = {}) =>
    call("POST", `/v1/workers/${id}/tokens`, headers, body);
  const getRunnerToken = ({ auth }: Pick<TestWorker, "auth">) =>
    call("POST", "/v1/workers/self/runner-token", auth, {});
  const readWork = async (token: string) =>
    (await call("GET", "/v1/automation-runner/work", { authorization: `Bearer ${token}` })).status;

  test("give a key of the owner no more permissions than the key has", async () => {
    const worker = await createWorker(server, acme.owner.auth);
    const full = await getRunnerToken(worker);
    // A rotation by the owner itself does not interrupt the runner.
    expect((await rotate(worker.id, acme.owner.auth)).status).toBe(201);
    expect(await readWork(full.body.token)).toBe(200);
    const limited = await createKey(server, acme.owner, { permissions: ["workers:manage"] });
    const { token } = (await rotate(worker.id, limited.auth)).body;
    const refused = await getRunnerToken({ auth: { authorization: `Bearer ${token}` } });
    expect(refused.body.reason).toBe("missing_permission");
    expect(await readWork(full.body.token)).toBe(401);
    await call("PATCH", `/v1/workers/${worker.id}`, acme.owner.auth, { takeOver: true });
    expect((await getRunnerToken(worker)).status).toBe(200);
  });

  test("are not given to a member who takes a worker over and may not manage its LLM providers", async () => {
    const provider = await createProvider(server, acme.owner.auth);
    const worker = await createWorker(server, acme.owner.auth, { llmProviderIds: [provider.id] });
    const role = await createRole(server, acme.owner, ["workers:manage"]);
    const manager = await joinWorkspace(server, acme, role.id);
    const taken = await call("PATCH", `/v1/workers/${worker.id}`, manager.auth, { takeOver: true });
    expect(taken.body.worker.ownerId).toBe(manager.memberId);
    expect((await rotate(worker.id, manager.auth)).body.reason).toBe("missing_permission");
  });

  test("end with the tokens of the runner when somebody else may know them", async () => {
    const worker = await createWorker(server, acme.owner.auth);
    const { token } = (await getRunnerToken(worker)).body;
    expect(await readWork(token)).toBe(200);
    await rotate(worker.id, acme.owner.auth, { endEarlierTokens: true });
    expect((await beat(server, worker, 1)).status).toBe(401);
    expect(await readWork(token)).toBe(401);
  });

  test("of a runner are refused when they were made while the owner of the worker changed", async () => {
    const worker = await createWorker(server, acme.owner.auth);
    const { token } = (await getRunnerToken(worker)).body;
    // As if the credentials of the owner had ended after the owner was looked up and before the token was stored.
    await server.platform.db.run(sql`update workers set member_id = null where id = ${worker.id}`);
    await invalidateCallers(server.platform.bus, server.platform.db, worker.id);
    await expect.poll(() => readWork(token)).toBe(401);
  });

  test("cannot be had through a registration token by a member who may not have them", async () => {
    const registration = await createRegistrationToken(server, acme.owner.auth);
    const instance = { instanceId: `instance-${Date.now()}` };
    const { worker } = (await call("POST", "/v1/workers/register", registration.auth, instance)).body;
    const role = await createRole(server, acme.owner, ["workers:manage"]);
    const manager = await joinWorkspace(server, acme, role.id);
    const path = `/v1/worker-registration-tokens/${registration.id}/rotate`;
    expect((await call("POST", path, manager.auth)).status).toBe(201);
    const provider = await createProvider(server, acme.owner.auth);
    await call("PATCH", `/v1/workers/${worker.id}`, acme.owner.auth, { llmProviderIds: [provider.id] });
    expect((await call("POST", path, manager.auth)).body.reason).toBe("missing_permission");
    expect((await call("POST", path, acme.owner.auth)).status).toBe(201);
  });
});
