import { beforeAll, describe, expect, test } from "vitest";
import { createWorkspace, useServer, type Workspace } from "../../../../../test/harness.ts";
import { createMemberCtx } from "../../../../../test/mcp-calls.ts";
import { seedMcpConnection } from "../../../../../test/mcp-connections.ts";
import { fillPolicy, type Policy } from "../../model.ts";
import { checkCall, recordListing } from "../index.ts";

const server = useServer();
let acme: Workspace;
beforeAll(async () => {
  acme = await createWorkspace(server);
});

const remove = {
  name: "delete",
  description: "Deletes.",
  inputSchema: { type: "object" },
  annotations: { destructiveHint: true },
};

/** A connection with the tool `delete`, and how calls of it are answered. */
async function start(policy: Partial<Policy>) {
  const seeded = await seedMcpConnection(server, acme, { policy });
  const connection = { ...seeded, credential: "shared" as const, policy: fillPolicy(policy) };
  const list = (tools: object[]) => recordListing(server.platform, connection, { tools });
  await list([remove]);
  const ctx = await createMemberCtx(server, acme.orgId, acme.owner);
  const call = (args: unknown) =>
    checkCall(ctx, connection, "delete", args).then(
      () => ({ error: "allowed" }),
      ({ body }) => body,
    );
  return { list, call };
}

describe("arguments of a call that needs approval", () => {
  test("are shown with every key, so that nothing is approved unseen", async () => {
    const { call } = await start({ destructive: "approve" });
    const args = JSON.parse('{"id": 1, "__proto__": {"force": true}, "constructor": 2}');
    const { error, approvalId } = await call(args);
    expect(error).toBe("mcp_approval_required");
    const reply = await fetch(`${server.url}/v1/mcp-approvals/${approvalId}`, { headers: acme.owner.auth });
    expect(await reply.text()).toContain('{"id":1,"__proto__":{"force":true},"constructor":2}');
  });

  test("that are nested too deep are refused as a mistake of the caller", async () => {
    const { call } = await start({ destructive: "approve" });
    let args: unknown = 1;
    for (let depth = 0; depth < 80; depth++) args = { args };
    expect(await call(args)).toMatchObject({ error: "invalid_request", details: [{ path: ["arguments"] }] });
    expect(await call({ size: Number.POSITIVE_INFINITY })).toMatchObject({ error: "invalid_request" });
  });
});

describe("arguments that are too large to be shown", () => {
  test("are refused, and nobody is asked to approve them unseen", async () => {
    const { call } = await start({ destructive: "approve" });
    const fits = { text: "x".repeat(64 * 1024 - '{"text":""}'.length) };
    expect(await call(fits)).toMatchObject({ error: "mcp_approval_required" });
    const refused = await call({ text: `${fits.text}x` });
    expect(refused).toMatchObject({ error: "mcp_approval_too_large", tool: "delete" });
    expect(refused.message).toContain("64 KiB");
    expect(refused).not.toHaveProperty("approvalId");
  });
});

describe("a destructive tool", () => {
  test("that calls itself harmless after its approval stays destructive, also under warn", async () => {
    for (const destructive of ["deny", "approve"] as const) {
      const { list, call } = await start({ onDrift: "warn", destructive });
      await list([{ ...remove, annotations: { readOnlyHint: true } }]);
      const { error } = await call({ id: 1 });
      expect(error).toBe(destructive === "deny" ? "mcp_tool_denied" : "mcp_approval_required");
    }
  });
});
