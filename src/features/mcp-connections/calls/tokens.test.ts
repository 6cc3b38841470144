import { afterEach, expect, test } from "vitest";
import {
  type GuardedServer,
  type SignInServer,
  startGuardedServer,
  startSignInServer,
} from "../../../../test/fixtures/mcp-servers/signed-in.ts";
import { createWorkspace, useServer } from "../../../../test/harness.ts";
import { createMemberCtx } from "../../../../test/mcp-calls.ts";
import { connectMcpAccount, saveConnection } from "../../../../test/mcp-sign-in.ts";
import { sql } from "../../../platform/db/index.ts";
import { findUsable } from "../access/index.ts";
import { findHeaders } from "../credentials/index.ts";
import { recordListing } from "../tools/index.ts";
import { listUpstreamTools } from "../upstream/index.ts";
import { callTool } from "./index.ts";

const server = useServer();
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const callers = 1_000;

async function connect() {
  const signIn: SignInServer = await startSignInServer({ registration: true });
  closing.push(signIn.close);
  const upstream: GuardedServer = await startGuardedServer({ servers: [signIn] });
  closing.push(upstream.close);
  const { owner, orgId } = await createWorkspace(server);
  const { id } = await saveConnection(server, owner.auth, {
    url: upstream.url,
    name: "Tickets",
    credential: "per_member",
    registration: "dynamic",
    access: { organization: true },
  });
  await connectMcpAccount(server, owner, id);
  const limits = { callsPerMinute: 100_000, concurrency: 1_000 };
  await server.platform.db.run(sql`
    update mcp_connections set limits = ${JSON.stringify(limits)}::text::jsonb, policy = '{"onDrift":"warn"}'
    where id = ${id}`);
  const ctx = await createMemberCtx(server, orgId, owner);
  const connection = (await findUsable(ctx, id))!;
  const headers = await findHeaders(ctx, connection);
  await recordListing(ctx, connection, await listUpstreamTools(ctx, connection, headers));
  const countRefreshes = () =>
    signIn.tokenRequests.filter((form) => form.get("grant_type") === "refresh_token").length;
  const call = () => callTool(ctx, connection, "echo", {}, { signal: new AbortController().signal });
  return { ctx, connection, upstream, headers, call, countRefreshes };
}

const makeAllOlder = (change: "expired" | "old") =>
  server.platform.db.run(
    change === "expired"
      ? sql`update oauth_tokens set expires_at = now() - interval '1 minute', obtained_at = now() - interval '1 hour'`
      : sql`update oauth_tokens set obtained_at = now() - interval '1 hour'`,
  );

/** A hundred at the same time, because more of them only wait for a connection to the database. */
const callOften = async (count: number, call: () => Promise<unknown>) => {
  const lanes = Array.from({ length: 100 }, async () => {
    const results: PromiseSettledResult<unknown>[] = [];
    for (let n = 0; n < count / 100; n++) results.push(...(await Promise.allSettled([call()])));
    return results;
  });
  return (await Promise.all(lanes)).flat();
};

test("1,000 callers with an expired token cause one refresh", { timeout: 120_000 }, async () => {
  const { call, countRefreshes } = await connect();
  await makeAllOlder("expired");
  const results = await callOften(callers, call);
  // Some of so many calls of one member find no place in time. Nothing else may go wrong.
  const codes = results.flatMap((result) =>
    result.status === "rejected" ? [result.reason.body?.error] : [],
  );
  expect(codes.filter((code) => code !== "mcp_busy")).toEqual([]);
  expect(codes.length).toBeLessThan(callers);
  expect(countRefreshes()).toBe(1);
});

test("200 callers with a token that was revoked cause one refresh, and all succeed", {
  timeout: 120_000,
}, async () => {
  const { ctx, call, countRefreshes, upstream, headers, connection } = await connect();
  await call();
  await makeAllOlder("old");
  upstream.blocked.add(headers.authorization!.replace(/^Bearer /, ""));
  const results = await callOften(200, call);
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(200);
  expect(countRefreshes()).toBe(1);
  const states = await ctx.db.rows(sql`select from mcp_member_states where connection_id = ${connection.id}`);
  expect(states).toEqual([]);
});

test("an account that the server does not accept any more must sign in again, after one refresh", async () => {
  const { call, countRefreshes, upstream } = await connect();
  await makeAllOlder("old");
  upstream.blocked.add("octo");
  await expect(call()).rejects.toMatchObject({ status: 409, body: { error: "mcp_sign_in_required" } });
  const requests = upstream.authorizations.length;
  await expect(call()).rejects.toMatchObject({ status: 409, body: { error: "mcp_sign_in_required" } });
  expect(upstream.authorizations).toHaveLength(requests);
  expect(countRefreshes()).toBe(1);
});

test("scopes that are missing are named, and nothing is refreshed", async () => {
  const { call, countRefreshes, upstream } = await connect();
  upstream.requiredScopes = ["tools:admin"];
  await expect(call()).rejects.toMatchObject({
    status: 409,
    body: { error: "mcp_consent_required", missingScopes: ["tools:admin"] },
  });
  expect(countRefreshes()).toBe(0);
});
