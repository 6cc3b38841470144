/** What Okta and Microsoft Entra ID send, as recorded in `test/fixtures/scim`. */
import { beforeAll, describe, expect, test } from "vitest";
import { fillIn, readSteps, saveValues } from "../../../test/fixtures/scim/replay.ts";
import { createWorkspace, useServer, type Workspace } from "../../../test/harness.ts";
import { connectDirectory, type Directory, verifyDomain } from "../../../test/scim.ts";

const server = useServer();

describe.each([
  ["okta", "application/scim+json"],
  ["entra", "application/scim+json; charset=utf-8"],
] as const)("%s", (name, contentType) => {
  const known: Record<string, string> = { domain: `${name}.example.com` };
  let workspace: Workspace;
  let directory: Directory;

  beforeAll(async () => {
    workspace = await createWorkspace(server);
    await verifyDomain(server, workspace.orgId, known.domain!);
    directory = await connectDirectory(server, workspace);
    known.base = `${server.url}/scim/v2`;
  });

  const readMembers = async (): Promise<Record<string, string>> => {
    const { body } = await server.call("/v1/members?limit=100", { headers: workspace.owner.auth });
    return Object.fromEntries(
      body.items.map((one: { email: string; deactivatedAt: number | null }) => [
        one.email,
        one.deactivatedAt === null ? "active" : "deactivated",
      ]),
    );
  };

  test.each(readSteps(name).map((step) => [step.name, step] as const))("%s", async (_, step) => {
    const { method, path, body } = fillIn(step.request, known);
    const headers = {
      accept: "application/scim+json",
      ...(body === undefined ? {} : { "content-type": contentType }),
    };
    const reply = await directory.call(path, { method, headers, ...(body === undefined ? {} : { body }) });
    if (reply.status < 300) saveValues(step, reply, known);
    const expected = fillIn(step.reply, known);
    expect({ status: reply.status, body: reply.body }).toMatchObject({
      status: expected.status,
      ...(expected.body ? { body: expected.body } : {}),
    });
    for (const key of expected.absent ?? []) expect(reply.body).not.toHaveProperty([key]);
    if (expected.location) expect(reply.headers.get("location")).toBe(expected.location);
    if (expected.status !== 204) expect(reply.headers.get("content-type")).toBe("application/scim+json");
    if (step.members) expect(await readMembers()).toMatchObject(fillIn(step.members, known));
  });
});
