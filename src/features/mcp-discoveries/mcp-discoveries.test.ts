import { setTimeout as sleep } from "node:timers/promises";
import { readEventStream } from "@signalbox/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Body } from "../../../test/body.ts";
import { oauth, openHandshake } from "../../../test/fixtures/mcp-hostile/parts.ts";
import { type HostileServer, startHostileServer } from "../../../test/fixtures/mcp-hostile/server.ts";
import {
  createKey,
  createWorkspace,
  joinWorkspace,
  useServer,
  type Workspace,
} from "../../../test/harness.ts";
import { jobs } from "../../app.ts";
import { sql } from "../../platform/db/index.ts";
import { newId } from "../../platform/ids.ts";

const server = useServer();
let acme: Workspace;
let open: HostileServer;
let locked: HostileServer;
beforeAll(async () => {
  acme = await createWorkspace(server);
  open = await startHostileServer((request, base) =>
    request.path.startsWith("/mcp") ? openHandshake(request, base) : undefined,
  );
  locked = await startHostileServer(oauth());
});
afterAll(async () => {
  await open?.close();
  await locked?.close();
});

interface Message {
  event: string;
  data: Body;
}

const start = (url: unknown, auth: Record<string, string>, signal?: AbortSignal) =>
  fetch(`${server.url}/v1/mcp-discoveries`, {
    method: "POST",
    headers: { ...auth, "content-type": "application/json" },
    body: JSON.stringify({ url }),
    ...(signal ? { signal } : {}),
  });

async function follow(url: string, auth = acme.owner.auth): Promise<Message[]> {
  const response = await start(url, auth);
  expect(response.headers.get("content-type")).toContain("text/event-stream");
  const messages: Message[] = [];
  for await (const { event, data } of readEventStream(response.body))
    messages.push({ event, data: JSON.parse(data) });
  return messages;
}

async function keep(url = `${open.base}/mcp`, workspace = acme): Promise<Body> {
  return (await follow(url, workspace.owner.auth)).at(-1)!.data.discovery;
}

const call = (path: string, options: Parameters<typeof server.call>[1] = {}) =>
  server.call(`/v1/mcp-discoveries${path}`, { headers: acme.owner.auth, ...options });

describe("a discovery as a stream", () => {
  test("reports each request when it is sent, answered and interpreted, then the verdict", async () => {
    const messages = await follow(`${locked.base}/mcp`);
    const { discovery } = messages.at(-1)!.data;
    const steps = messages.filter(({ event }) => event === "step").map(({ data }) => data);
    expect(messages.at(-1)!.event).toBe("verdict");
    expect(messages).toHaveLength(steps.length + 1);
    for (const [index, item] of (discovery.evidence as Body[]).entries()) {
      const ofRequest = steps.filter((step) => step.index === index);
      expect(ofRequest[0]).toEqual({
        ...{ index, state: "sent", step: item.step, method: item.method, url: item.url },
        startedMs: item.startedMs,
      });
      const answered = ofRequest.find(({ state }) => state === "answered");
      expect(answered).toMatchObject({ ms: item.ms });
      expect(answered.status).toBe(item.status);
      expect(answered.failure).toBe(item.failure);
      const interpreted = ofRequest.findLast(({ state }) => state === "interpreted");
      if (interpreted)
        expect(interpreted).toMatchObject({ learned: item.learned, rule: item.rule, decided: item.decided });
    }
    expect(steps.some(({ state }) => state === "interpreted")).toBe(true);
  });

  test("comes to the verdict of the operation that stores nothing, and keeps it", async () => {
    for (const { base } of [open, locked]) {
      const url = `${base}/mcp`;
      const { body: expected } = await server.call("/v1/mcp-connections/discover", {
        body: { url },
        headers: acme.owner.auth,
      });
      const discovery = await keep(url);
      expect(discovery.result).toEqual(expected);
      expect(discovery).toMatchObject({ url, status: expected.status, memberName: "Owner" });
      expect(discovery.requests).toBe(discovery.evidence.length);
      expect((await call(`/${discovery.id}`)).body).toEqual({ discovery });
    }
  });

  test("sends the first step before the server has answered", async () => {
    let answer = () => {};
    const waiting = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const slow = await startHostileServer(async (request, base) => {
      await waiting;
      return openHandshake(request, base);
    });
    try {
      const response = await start(`${slow.base}/mcp`, acme.owner.auth);
      const events = readEventStream(response.body)[Symbol.asyncIterator]();
      const first = await events.next();
      expect(JSON.parse(first.value!.data)).toMatchObject({ index: 0, state: "sent" });
      answer();
      let last: string | undefined;
      for (let next = await events.next(); !next.done; next = await events.next()) last = next.value.event;
      expect(last).toBe("verdict");
    } finally {
      answer();
      await slow.close();
    }
  });

  test("stops when its reader leaves, and keeps nothing", async () => {
    let asked = 0;
    const silent = await startHostileServer(() => {
      asked++;
      return { raw: () => {} };
    });
    const beta = await createWorkspace(server, "Beta");
    const stop = new AbortController();
    try {
      const response = await start(`${silent.base}/mcp`, beta.owner.auth, stop.signal);
      const events = readEventStream(response.body)[Symbol.asyncIterator]();
      await events.next();
      while (asked === 0) await sleep(5);
      stop.abort();
      const readRest = async () => {
        while (!(await events.next()).done);
      };
      await expect(readRest()).rejects.toThrow();
      // Its place in the queue becomes free, and later requests of it are not sent.
      const sent = asked;
      await sleep(300);
      expect(asked - sent).toBeLessThanOrEqual(1);
      const kept = await call("", { headers: beta.owner.auth });
      expect(kept.body.items).toEqual([]);
    } finally {
      await silent.close();
    }
  });

  test("has an unreachable server as a verdict", async () => {
    const gone = await startHostileServer(() => undefined);
    await gone.close();
    expect(await keep(`${gone.base}/mcp`)).toMatchObject({ status: "unreachable" });
  });

  test("is refused before it starts: without permission, for a wrong URL, and with an unknown field", async () => {
    const member = await joinWorkspace(server, acme, "member");
    expect((await start(`${open.base}/mcp`, member.auth)).status).toBe(403);
    expect((await start(`${open.base}/mcp`, {})).status).toBe(401);
    for (const url of ["ftp://example.com", "not a url", undefined, "https://user:secret@example.com/mcp"])
      expect((await start(url, acme.owner.auth)).status).toBe(400);
  });

  test("keeps no credential of the URL, wherever the server repeats it", async () => {
    const secret = "s3cretS3cretS3cretS3cret99";
    const echoing = await startHostileServer((request, base) => {
      const reply = oauth()(request, base) as { json?: unknown } | undefined;
      if (!reply?.json) return reply as never;
      const json = JSON.parse(JSON.stringify(reply.json).replace(/\/mcp"/g, `/mcp?apikey=${secret}"`));
      return { ...reply, json } as never;
    });
    try {
      const messages = await follow(`${echoing.base}/mcp?apikey=${secret}`);
      expect(messages.at(-1)!.data.discovery.url).toBe(`${echoing.base}/mcp?apikey=[redacted]`);
      expect(JSON.stringify(messages)).not.toContain(secret);
      const rows = await server.platform.db.rows<{ text: string }>(
        sql`select row_to_json(d)::text as text from mcp_discoveries d`,
      );
      expect(rows.filter(({ text }) => text.includes(secret))).toEqual([]);
    } finally {
      await echoing.close();
    }
  });

  const token = "Zm9vYmFyMTIzNDU2Nzg5MDEyZm9vYmFyMTI";
  test.each([
    ["in the path", `/mcp/${token}%3D`, [`${token}%3D`, `${token}=`]],
    ["in a parameter", `/mcp?apikey=a/${token}%3d`, [`a/${token}%3d`, `a/${token}%3D`, `a%2F${token}%3D`]],
    ["with a plus sign", `/mcp?apikey=a+${token}`, [`a+${token}`, `a%20${token}`, `a ${token}`]],
    ["in place of a parameter", `/mcp?${token}`, [token]],
  ])("keeps no credential %s, however the server writes it", async (_where, path, spellings) => {
    const tools = spellings.map((name) => ({ name, inputSchema: { type: "object" } }));
    const echoing = await startHostileServer((request, base) =>
      request.rpc === "tools/list"
        ? { json: { jsonrpc: "2.0", id: request.id, result: { tools } } }
        : openHandshake(request, base),
    );
    try {
      const messages = await follow(`${echoing.base}${path}`);
      expect(messages.at(-1)!.data.discovery.result.tools.items).toHaveLength(spellings.length);
      expect(JSON.stringify(messages)).not.toContain(token);
    } finally {
      await echoing.close();
    }
  });
});

test("a verdict is kept whatever text the server sends, and however much", async () => {
  const name = (n: number) => `tool ${n} \0 \ud800 ${"x".repeat(240)}`;
  const tools = Array.from({ length: 1_000 }, (_, n) => ({ name: name(n), inputSchema: { type: "object" } }));
  const hostile = await startHostileServer((request, base) =>
    request.rpc === "tools/list"
      ? { json: { jsonrpc: "2.0", id: request.id, result: { tools } } }
      : openHandshake(request, base),
  );
  try {
    const { id, result } = await keep(`${hostile.base}/mcp`);
    expect(result.tools).toMatchObject({ visibility: "available_without_auth", count: 1_000 });
    expect(result.tools.items).toHaveLength(50);
    expect(result.tools.items[0].name).toMatch(/^tool 0 \ufffd \ufffd x/u);
    expect((await call(`/${id}`)).body.discovery.result).toEqual(result);
  } finally {
    await hostile.close();
  }
});

describe("kept verdicts", () => {
  test("are listed newest first, by page and by status", async () => {
    const beta = await createWorkspace(server, "Beta");
    const headers = beta.owner.auth;
    const kept = [await keep(`${open.base}/mcp`, beta), await keep(`${open.base}/nothing`, beta)];
    const first = await call("?limit=1", { headers });
    expect(first.body.items).toEqual([toSummary(kept[1])]);
    const second = await call(`?limit=1&cursor=${first.body.nextCursor}`, { headers });
    expect(second.body).toEqual({ items: [toSummary(kept[0])], nextCursor: null });
    const ready = await call("?status=ready", { headers });
    expect(ready.body.items.map(({ id }: Body) => id)).toEqual([kept[0]!.id]);
  });

  const toSummary = ({ result: _, evidence: __, ...summary }: Body = {}) => summary;

  test("can be deleted, by members who may discover, and this is recorded", async () => {
    const { id } = await keep();
    const member = await joinWorkspace(server, acme, "member");
    expect((await call(`/${id}`, { method: "DELETE", headers: member.auth })).status).toBe(403);
    expect((await call(`/${id}`, { method: "DELETE" })).status).toBe(204);
    expect((await call(`/${id}`)).status).toBe(404);
    expect((await call(`/${id}`, { method: "DELETE" })).status).toBe(404);
    const audit = await server.call(`/v1/audit-events?targetId=${id}`, { headers: acme.owner.auth });
    expect(audit.body.items.map(({ action }: Body) => action)).toEqual(["mcp_discovery.removed"]);
  });

  test("of another organization do not exist", async () => {
    const { id } = await keep();
    const beta = await createWorkspace(server, "Beta");
    const headers = beta.owner.auth;
    for (const [path, options] of [
      [`/${id}`, {}],
      [`/${id}`, { method: "DELETE" }],
      [`/${id}/shares`, {}],
      [`/${id}/shares`, { body: {} }],
      [`/${id}/shares/${newId("mcs")}`, { method: "DELETE" }],
    ] as const)
      expect((await call(path, { ...options, headers })).status).toBe(404);
    expect((await call(`/${id}`)).status).toBe(200);
  });

  test("are the newest hundred, and none older than ninety days", async () => {
    const beta = await createWorkspace(server, "Beta");
    const old = await keep(`${open.base}/mcp`, beta);
    const { db } = server.platform;
    await db.run(sql`
      insert into mcp_discoveries (id, org_id, url, status, result, evidence, duration_ms)
      select n.id, d.org_id, d.url, d.status, d.result, d.evidence, d.duration_ms
      from mcp_discoveries d, unnest(${Array.from({ length: 105 }, () => newId("mcd"))}::text[]) n (id)
      where d.id = ${old.id}`);
    const last = await keep(`${open.base}/mcp`, beta);
    const count = async () =>
      (await db.row<{ n: number }>(
        sql`select count(*)::int as n from mcp_discoveries where org_id = ${beta.orgId}`,
      ))!.n;
    expect(await count()).toBe(100);
    expect((await call(`/${old.id}`, { headers: beta.owner.auth })).status).toBe(404);
    await db.run(sql`
      update mcp_discoveries set created_at = now() - interval '91 days'
      where org_id = ${beta.orgId} and id <> ${last.id}`);
    await jobs.find(({ name }) => name === "mcp-discoveries.tidy")!.handle(server.platform, {});
    expect(await count()).toBe(1);
  });

  test("stay without a name when their member has left", async () => {
    const admin = await joinWorkspace(server, acme, "admin");
    const { id } = (await follow(`${open.base}/mcp`, admin.auth)).at(-1)!.data.discovery;
    await server.call(`/v1/members/${admin.memberId}`, { method: "DELETE", headers: acme.owner.auth });
    expect((await call(`/${id}`)).body.discovery).toMatchObject({ memberId: null, memberName: null });
  });

  test("are not made by the operation that stores nothing", async () => {
    const beta = await createWorkspace(server, "Beta");
    await server.call("/v1/mcp-connections/discover", {
      body: { url: `${open.base}/mcp` },
      headers: beta.owner.auth,
    });
    expect((await call("", { headers: beta.owner.auth })).body.items).toEqual([]);
  });
});

describe("links that share a verdict", () => {
  const share = async (id: string, body: object = {}) => (await call(`/${id}/shares`, { body })).body;
  const readShared = (token: string) =>
    server.call(`/v1/mcp-discoveries/shared?token=${encodeURIComponent(token)}`);

  test("show the verdict and its evidence to anybody, and nothing about the organization", async () => {
    const discovery = await keep(`${locked.base}/mcp`);
    const { share: made, token, url } = await share(discovery.id, { expiresInDays: 30 });
    expect(url).toBe(`${server.platform.config.publicUrl}/shared/verdict#${token}`);
    expect(made.expiresAt - made.createdAt).toBe(30 * 86_400_000);
    const { status, body } = await readShared(token);
    expect(status).toBe(200);
    const { id: _, memberId: __, memberName: ___, ...shown } = discovery;
    expect(body).toEqual({ discovery: { ...shown, expiresAt: made.expiresAt } });
    const text = JSON.stringify(body);
    for (const hidden of [acme.orgId, acme.owner.userId, acme.owner.email, discovery.id, discovery.memberId])
      expect(text).not.toContain(hidden);
  });

  test("store only the hash of the token", async () => {
    const { token } = await share((await keep()).id);
    const rows = await server.platform.db.rows<{ text: string }>(
      sql`select row_to_json(s)::text as text from mcp_discovery_shares s`,
    );
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.filter(({ text }) => text.includes(token.slice(4, 20)))).toEqual([]);
  });

  test("end when they expire, are removed, or lose their verdict, and while the organization is suspended", async () => {
    const { id } = await keep();
    const [expiring, removed, other] = [await share(id), await share(id), await share(id)];
    await server.platform.db.run(
      sql`update mcp_discovery_shares set expires_at = now() where id = ${expiring.share.id}`,
    );
    expect((await readShared(expiring.token)).status).toBe(404);
    expect((await call(`/${id}/shares/${removed.share.id}`, { method: "DELETE" })).status).toBe(204);
    expect((await readShared(removed.token)).status).toBe(404);
    expect((await readShared(other.token)).status).toBe(200);
    const { body } = await call(`/${id}/shares`);
    expect(body).toEqual({ items: [other.share], nextCursor: null });
    await call(`/${id}`, { method: "DELETE" });
    expect((await readShared(other.token)).status).toBe(404);

    const beta = await createWorkspace(server, "Beta");
    const theirs = await keep(`${open.base}/mcp`, beta);
    const made = await call(`/${theirs.id}/shares`, { body: {}, headers: beta.owner.auth });
    expect((await readShared(made.body.token)).status).toBe(200);
    await server.platform.db.run(sql`update organizations set suspended_at = now() where id = ${beta.orgId}`);
    expect((await readShared(made.body.token)).status).toBe(404);
  });

  test("cannot be guessed from another kind of token, and need one", async () => {
    const { key } = await createKey(server, acme.owner);
    for (const token of ["x", key, `sbv_${"0".repeat(36)}`])
      expect((await readShared(token)).status).toBe(404);
    expect((await server.call("/v1/mcp-discoveries/shared")).status).toBe(400);
  });

  test("last thirty days at most, and a verdict has twenty at most", async () => {
    const { id } = await keep();
    for (const expiresInDays of [0, 31, 1.5])
      expect((await call(`/${id}/shares`, { body: { expiresInDays } })).status).toBe(400);
    const replies = await Promise.all(Array.from({ length: 22 }, () => call(`/${id}/shares`, { body: {} })));
    const codes = replies.map(({ status }) => status).toSorted();
    expect(codes).toEqual([...Array.from({ length: 20 }, () => 201), 409, 409]);
    expect(replies.find(({ status }) => status === 409)!.body.error).toBe("too_many_shares");
  });

  test("are recorded without their tokens", async () => {
    const { id } = await keep();
    const { share: made, token } = await share(id);
    await call(`/${id}/shares/${made.id}`, { method: "DELETE" });
    const audit = await server.call(`/v1/audit-events?targetId=${id}`, { headers: acme.owner.auth });
    expect(audit.body.items.map(({ action }: Body) => action)).toEqual([
      "mcp_discovery.share_removed",
      "mcp_discovery.shared",
    ]);
    expect(JSON.stringify(audit.body)).not.toContain(token);
  });
});
