/** A small directory, synchronized twice. `test/long/scim-directory.ts` does it with 10,000 users. */
import { expect, test } from "vitest";
import { type Call, describeRows, synchronize } from "../../../test/fixtures/scim/synchronize.ts";
import { createWorkspace, useServer } from "../../../test/harness.ts";
import { connectDirectory, verifyDomain } from "../../../test/scim.ts";

const server = useServer();

test("the second synchronization writes no row", { timeout: 120_000 }, async () => {
  const workspace = await createWorkspace(server);
  const plan = { users: 60, groups: 5, membersPerGroup: 20, domain: "small.example.com" };
  await verifyDomain(server, workspace.orgId, plan.domain);
  const { call } = await connectDirectory(server, workspace);

  expect(await synchronize(call as Call, plan, 4)).toBe(60 * 2 + 5 * 3);
  const { body } = await call("/Groups?count=5&sortBy=displayName");
  expect(body.Resources.map((one: { members: object[] }) => one.members.length)).toEqual([
    60, 20, 20, 20, 20,
  ]);
  const before = await describeRows(server.engine);
  expect(before.scim_users).toMatch(/^60 rows/);
  expect(before.members).toMatch(/^60 rows/);

  expect(await synchronize(call as Call, plan, 4)).toBe(60 * 2 + 5 * 2);
  expect(await describeRows(server.engine)).toEqual(before);
});
