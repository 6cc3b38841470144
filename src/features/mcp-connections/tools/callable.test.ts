import { afterAll, beforeAll, expect, test } from "vitest";
import { type ChangingServer, startChangingServer } from "../../../../test/fixtures/mcp-servers/changing.ts";
import { createWorkspace, useServer } from "../../../../test/harness.ts";
import { listNow } from "../../../../test/mcp-tools.ts";
import { recordStatements } from "../../../../test/plans.ts";
import type { OrgId } from "../../../platform/context.ts";
import { newId } from "../../../platform/ids.ts";
import { callableLookups } from "./callable.ts";

const server = useServer();
let upstream: ChangingServer;
beforeAll(async () => {
  upstream = await startChangingServer();
});
afterAll(() => upstream.close());

test("lookups of the same moment are one statement, unless organizations take turns, and each has its own answer", async () => {
  const { orgId, owner } = await createWorkspace(server);
  const { body } = await server.call("/v1/mcp-connections", {
    body: {
      ...{ url: upstream.url, name: "tracker", credential: "shared", registration: "none" },
      access: { organization: true },
    },
    headers: owner.auth,
  });
  const { id, slug } = body.connection;
  await listNow(server, orgId, id);
  const { db, state } = server.platform;
  const find = (name: string, of: string = orgId) =>
    state.get(callableLookups).find(db, {
      ...{ orgId: of as OrgId, memberId: newId("mem"), runId: null, slug, name },
    });
  const found: unknown[] = [];
  const statements = await recordStatements(server.engine, async () => {
    const rows = await Promise.all([
      find("search_issues"),
      find("search_issues", newId("org")),
      find("nothing"),
      find("create_issue"),
    ]);
    found.push(...rows.map((row) => row && [row.id, row.definition?.name]));
  });
  expect(found).toEqual([[id, "search_issues"], undefined, [id, undefined], [id, "create_issue"]]);
  const texts = statements.filter(({ text }) => text.includes("mcp_connection_grants"));
  expect(texts).toHaveLength(db.kind === "postgres" ? 1 : 4);
});
