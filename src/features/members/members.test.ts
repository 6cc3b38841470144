import { beforeAll, describe, expect, test } from "vitest";
import {
  createKey,
  createWorkspace,
  joinWorkspace,
  useServer,
  type Workspace,
} from "../../../test/harness.ts";

describe("members", () => {
  const server = useServer();
  let acme: Workspace;
  let bob: Awaited<ReturnType<typeof joinWorkspace>>;
  beforeAll(async () => {
    acme = await createWorkspace(server);
    bob = await joinWorkspace(server, acme, "member");
  });

  test("are listed newest first, with who they are and what they may do", async () => {
    const { status, body } = await server.call("/v1/members", { headers: bob.auth });
    expect(status).toBe(200);
    expect(body.nextCursor).toBeNull();
    expect(body.items.map(({ userId, role }: { userId: string; role: string }) => [userId, role])).toEqual([
      [bob.userId, "member"],
      [acme.owner.userId, "owner"],
    ]);
    expect(body.items[0]).toEqual({
      id: bob.memberId,
      userId: bob.userId,
      email: bob.email,
      name: "member",
      role: "member",
      createdAt: expect.any(Number),
    });
  });

  test("one is read by its id, also with a key", async () => {
    const key = await createKey(server, acme.owner);
    const { status, body } = await server.call(`/v1/members/${bob.memberId}`, { headers: key.auth });
    expect(status).toBe(200);
    expect(body.member).toMatchObject({ id: bob.memberId, email: bob.email });
  });

  test("a person's id is not a member's id", async () => {
    expect(await server.call(`/v1/members/${bob.userId}`, { headers: bob.auth })).toMatchObject({
      status: 404,
      body: { error: "member_not_found" },
    });
  });

  test("a key that was limited to something else does not see them", async () => {
    const key = await createKey(server, acme.owner, { permissions: ["organization:read"] });
    expect((await server.call("/v1/organization", { headers: key.auth })).status).toBe(200);
    expect((await server.call("/v1/members", { headers: key.auth })).status).toBe(403);
  });
});
