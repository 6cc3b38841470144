import { existsSync, readFileSync } from "node:fs";
import { get, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { createWorkspace, joinWorkspace, useServer, type Workspace } from "../../../../test/harness.ts";
import { countRowsRead, explainStatement, recordStatements } from "../../../../test/plans.ts";
import { pageBytes, sql } from "../../../platform/db/index.ts";
import { newId } from "../../../platform/ids.ts";

const server = useServer();

test("a member's export reads the events of this member, not those of the whole organization", async () => {
  const workspace = await createWorkspace(server);
  const member = await joinWorkspace(server, workspace, "member");
  const ids = Array.from({ length: 3_000 }, () => newId("tev"));
  await server.platform.db.run(sql`
    insert into telemetry_events (org_id, id, signal, event_id, digest, at, type, source, mapping_version, member_id,
      pricing, counts_usage, failed)
    select ${workspace.orgId}, id, 'event', id, '', now(), 'step', 'other', 1,
      case when n % 1000 = 0 then ${member.memberId} else 'mem_of_somebody_else' end, 'none', true, false
    from unnest(${ids}::text[]) with ordinality t (id, n)`);
  await server.platform.db.run(sql`analyze telemetry_events`);
  let lines: string[] = [];
  const statements = await recordStatements(server.engine, async () => {
    const { body } = await server.call("/v1/telemetry/export", { headers: member.auth });
    lines = String(body).trim().split("\n");
  });
  expect(lines).toHaveLength(4);
  const reads = statements.filter(({ text }) => text.includes("from telemetry_events"));
  expect(reads).toHaveLength(1);
  for (const { text, values } of reads)
    expect(countRowsRead(await explainStatement(server.engine, text, values))).toBeLessThan(10);
});

/** The bytes that the kernel may keep for a connection, in both directions together. */
function findMaxSocketBytes(): number {
  const files = ["/proc/sys/net/ipv4/tcp_rmem", "/proc/sys/net/ipv4/tcp_wmem"];
  if (!files.every((file) => existsSync(file))) return 36 * 1024 * 1024;
  const sizes = files.map((file) => Number(readFileSync(file, "utf8").trim().split(/\s+/)[2]));
  return sizes.reduce((sum, size) => sum + size, 0);
}

describe("an export of large events", () => {
  const bytes = 512 * 1024;
  /** What may be read for a caller who takes nothing: the buffers of the connection, and a few pages of the service. */
  const maxBytesAhead = findMaxSocketBytes() + 4 * pageBytes;
  const count = Math.ceil((2 * maxBytesAhead) / bytes);

  async function createLargeEvents({ orgId }: Workspace): Promise<void> {
    const ids = Array.from({ length: count }, () => newId("tev"));
    await server.platform.db.run(sql`
      insert into telemetry_events (org_id, id, signal, event_id, digest, at, type, source, mapping_version, pricing,
        counts_usage, failed, attributes)
      select ${orgId}, id, 'event', id, '', now(), 'step', 'other', 1, 'none', true, false,
        jsonb_build_object('text', repeat('x', ${bytes}::int))
      from unnest(${ids}::text[]) id`);
  }

  const open = ({ owner }: Workspace): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      get(`${server.url}/v1/telemetry/export`, { headers: owner.auth }, resolve).on("error", reject);
    });

  const expectComplete = (body: string) => {
    const lines = body.trim().split("\n");
    expect(lines).toHaveLength(count + 1);
    const ids = lines.slice(0, -1).map((line) => JSON.parse(line).id as string);
    expect(ids).toEqual(ids.toSorted());
    expect(new Set(ids).size).toBe(count);
    expect(lines.at(-1)).toBe('{"complete":true}');
  };

  /** Runs `work` with a list that gets the size of what each statement reads. */
  async function recordReads(work: (sizes: readonly number[]) => Promise<void>): Promise<void> {
    const sizes: number[] = [];
    const { query } = server.engine;
    server.engine.query = async (statement, ...rest) => {
      const result = await query(statement, ...rest);
      if (statement.includes("from telemetry_events")) sizes.push(JSON.stringify(result.rows).length);
      return result;
    };
    try {
      await work(sizes);
    } finally {
      server.engine.query = query;
    }
  }

  test("is complete, and reads about a page in bytes with each statement", async () => {
    const workspace = await createWorkspace(server);
    await createLargeEvents(workspace);
    await recordReads(async (sizes) => {
      expectComplete(await text(await open(workspace)));
      expect(Math.max(...sizes)).toBeLessThan(pageBytes + bytes);
      expect(sizes.length).toBeGreaterThan(count / 5);
    });
  });

  test("reads no further while its caller takes nothing", async () => {
    const workspace = await createWorkspace(server);
    await createLargeEvents(workspace);
    await recordReads(async (sizes) => {
      const response = await open(workspace);
      let before = -1;
      while (sizes.length !== before) {
        before = sizes.length;
        await sleep(1_000);
      }
      expect(before).toBeGreaterThan(0);
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(maxBytesAhead);
      expectComplete(await text(response));
    });
  });
});
