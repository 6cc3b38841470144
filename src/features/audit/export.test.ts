import { expect, test } from "vitest";
import { createWorkspace, useServer } from "../../../test/harness.ts";
import { recordStatements } from "../../../test/plans.ts";
import { pageBytes, sql } from "../../platform/db/index.ts";
import { newId } from "../../platform/ids.ts";

const server = useServer();

test("an export of large entries is complete, and reads about a page in bytes with each statement", async () => {
  const { db } = server.platform;
  const globex = await createWorkspace(server, "Globex");
  const count = 60;
  const bytes = 300 * 1024;
  await db.run(sql`
    insert into audit_events (scope, seq, id, at, action, credential, target_type, previous, hash, after)
    select ${globex.orgId}, 1 + n, id, now(), case when n % 2 = 0 then 'test.even' else 'test.odd' end, 'system', 'test',
      '', '', json_build_object('text', repeat('x', ${bytes}::int))
    from unnest(${Array.from({ length: count }, () => newId("aud"))}::text[]) with ordinality t (id, n)`);
  await db.run(sql`update audit_chains set seq = ${count + 1}::int where scope = ${globex.orgId}`);
  const sequencesOf = async (query: string) => {
    const { body } = await server.call(`/v1/audit-export${query}`, { headers: globex.owner.auth });
    const lines = body.trim().split("\n");
    expect(lines.pop()).toBe('{"complete":true}');
    return lines.map((line: string) => JSON.parse(line).sequence);
  };
  let all: number[] = [];
  const statements = await recordStatements(server.engine, async () => {
    all = await sequencesOf("");
  });
  expect(all).toEqual(Array.from({ length: count + 1 }, (_, n) => n + 1));
  const reads = statements.filter(({ text }) => text.includes("octet_length(e.before::text)"));
  expect(reads.length).toBeGreaterThan((count * bytes) / pageBytes);
  expect(await sequencesOf("?action=test.even")).toEqual(all.filter((n) => n > 1 && n % 2 === 1));
});
