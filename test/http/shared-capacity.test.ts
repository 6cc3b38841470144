import { randomUUID } from "node:crypto";
import http from "node:http";
import net from "node:net";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createConnector } from "../connectors.ts";
import { type GitServer, startGitServer } from "../fixtures/git-server.ts";
import { createWorkspace, useServer, type Workspace } from "../harness.ts";
import { signedHeaders } from "../webhooks.ts";

const secret = "the secret of the instance";
const server = useServer({ env: { CODEHOST_WEBHOOK_SECRET: secret } });
let hostile: Workspace[];
let third: Workspace;
beforeAll(async () => {
  hostile = [await createWorkspace(server, "Hostile"), await createWorkspace(server, "Unkind")];
  third = await createWorkspace(server, "Third");
});

/** Waits until the count is at least `least` and no longer grows. */
async function settled(count: () => number, least: number): Promise<void> {
  let before = -1;
  await expect
    .poll(
      () => {
        const isStill = count() === before && before >= least;
        before = count();
        return isStill;
      },
      { interval: 500, timeout: 40_000 },
    )
    .toBe(true);
}

/** A server that accepts connections and never answers. */
async function startSilentServer(): Promise<{ url: string; connections: () => number }> {
  const sockets = new Set<net.Socket>();
  const silent = net.createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
  });
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
  const { port } = silent.address() as net.AddressInfo;
  return { url: `http://127.0.0.1:${port}`, connections: () => sockets.size };
}

/** Sends without waiting for the replies. They arrive when the silent server is closed. */
function sendAll(count: number, workspaces: Workspace[], path: (i: number) => string, body?: object): void {
  for (const { owner } of workspaces)
    for (let i = 0; i < count; i++)
      server
        .call(path(i), { method: "POST", headers: owner.auth, ...(body ? { body } : {}) })
        .catch(() => {});
}

describe("while two organizations hold every slot that they can get", { timeout: 60_000 }, () => {
  let git: GitServer;
  beforeAll(async () => {
    git = await startGitServer();
  });
  afterAll(() => git.close());

  test("the connector of a third organization is still tested", async () => {
    const silent = await startSilentServer();
    const repository = await git.repository();
    await repository.commit({ "templates/a.md": "---\nname: A\n---\nText" });
    const good = await createConnector(server, third.owner.auth, { cloneUrl: repository.url });
    for (const workspace of hostile) {
      const { id } = await createConnector(server, workspace.owner.auth, { cloneUrl: `${silent.url}/x.git` });
      sendAll(4, [workspace], () => `/v1/connectors/${id}/test`);
    }
    await settled(silent.connections, 3);
    const reply = await server.call(`/v1/connectors/${good.id}/test`, {
      method: "POST",
      headers: third.owner.auth,
    });
    expect(reply).toMatchObject({ status: 200, body: { test: { ok: true } } });
  });

  test("the discovery of a third organization still runs", async () => {
    const silent = await startSilentServer();
    const url = `${silent.url}/mcp`;
    sendAll(64, hostile, () => "/v1/mcp-connections/discover", { url });
    await settled(silent.connections, 96);
    const closed = net.createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => closed.once("listening", resolve));
    const { port } = closed.address() as net.AddressInfo;
    closed.close();
    const reply = await server.call("/v1/mcp-connections/discover", {
      headers: third.owner.auth,
      body: { url: `http://127.0.0.1:${port}/mcp` },
    });
    expect(reply).toMatchObject({ status: 200, body: { status: "unreachable" } });
  });
});

describe("while two addresses send bodies that never end", () => {
  const open: http.ClientRequest[] = [];
  afterAll(() => {
    for (const request of open) request.destroy();
  });

  const headers = (body: string | Buffer) =>
    signedHeaders.github(secret, body, { event: "push", id: randomUUID() as string });

  function start(localAddress: string, more: http.OutgoingHttpHeaders = {}): http.ClientRequest {
    const request = http.request(`${server.url}/v1/webhooks/connectors/codehost`, {
      method: "POST",
      localAddress,
      headers: { ...headers("unsigned"), ...more },
    });
    request.on("error", () => {});
    open.push(request);
    return request;
  }

  const deliver = async (bytes: number) => {
    const body = JSON.stringify({ zen: "x".repeat(bytes) });
    const response = await fetch(`${server.url}/v1/webhooks/connectors/codehost`, {
      method: "POST",
      headers: signedHeaders.github(secret, body, { event: "ping", id: randomUUID() as string }),
      body,
    });
    return { status: response.status, body: await response.json() };
  };

  test.each([
    ["a byte of a chunked body", {}, 1],
    ["a byte of a body announced with 25 MiB", { "content-length": 25 * 1024 * 1024 }, 1],
    ["3 MiB of a chunked body", {}, 3 * 1024 * 1024],
  ])("a large delivery from another address is accepted: %s", async (_name, more, bytes) => {
    for (const address of ["127.0.0.2", "127.0.0.3"])
      for (let i = 0; i < 6; i++) start(address, more).write(Buffer.alloc(bytes));
    await settled(
      () => open.filter(({ socket }) => socket && socket.bytesWritten >= bytes).length,
      open.length,
    );
    expect(await deliver(2 * 1024 * 1024)).toMatchObject({ status: 200, body: { ok: true } });
    for (const request of open.splice(0)) request.destroy();
  });

  test("bodies that exceed the shared memory together wait for each other and are all accepted", async () => {
    const replies = await Promise.all(Array.from({ length: 4 }, () => deliver(20 * 1024 * 1024)));
    expect(replies.map(({ status }) => status)).toEqual(Array(4).fill(200));
  });
});
