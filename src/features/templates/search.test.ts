/** Searches in 10,000 templates, the most that an organization can have by default, with long descriptions. */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { beforeAll, describe, expect, test } from "vitest";
import { createWorkspace, useServer, type Workspace } from "../../../test/harness.ts";
import { scanStep, sql } from "../../platform/db/index.ts";
import { newId } from "../../platform/ids.ts";

const server = useServer();
let acme: Workspace;
let globex: Workspace;
const total = 10_000;

beforeAll(async () => {
  acme = await createWorkspace(server, "Acme");
  globex = await createWorkspace(server, "Globex");
  const letters = "the quick brown fox jumps over a lazy dog ";
  for (let from = 0; from < total; from += 500) {
    const ids = Array.from({ length: 500 }, () => newId("tpl"));
    await server.platform.db.run(sql`
      insert into templates (id, org_id, slug, name, description, tags, body, version, digest)
      select id, ${acme.orgId}, 'slug-' || (${from}::int + n), 'Template ' || (${from}::int + n),
        left(repeat(${letters} || translate(md5(id), '0123456789', 'ghijklmnop') || ' ', 30), 2000), array['common', 'tag ' || (${from}::int + n)],
        repeat('body ', 800), 1, 'digest'
      from unnest(${ids}::text[]) with ordinality as given (id, n)`);
  }
}, 240_000);

const ask = (query: string, { owner }: Workspace = acme) =>
  server.call(`/v1/templates${query}`, { headers: owner.auth });

describe("a search in 10,000 large templates", () => {
  test("finds the oldest and the newest, by part of a word, on every page", async () => {
    const slugs = async (query: string) =>
      (await ask(query)).body.items.map(({ slug }: { slug: string }) => slug);
    expect(await slugs("?q=slug-10000")).toEqual(["slug-10000"]);
    expect(await slugs("?q=lug-1%20emplat&limit=3")).toEqual(["slug-10000", "slug-1999", "slug-1998"]);
    expect(await slugs("?tag=tag%201")).toEqual(["slug-1"]);
    expect(await slugs("?tag=common&slug=slug-77")).toEqual(["slug-77"]);
    const all = new Set<string>();
    for (let cursor = "", pages = 0; pages < 20; pages++) {
      const { body } = await ask(`?q=template%20999&limit=10${cursor}`);
      for (const { slug } of body.items) all.add(slug);
      if (body.nextCursor === null) break;
      cursor = `&cursor=${body.nextCursor}`;
    }
    // 999, 9990 to 9999, and the other numbers that end with 999.
    expect(all.size).toBe(19);
  });

  /** Reads all pages. A request that has used up its budget returns a cursor and sometimes no items. */
  async function readToTheEnd(query: string): Promise<unknown[]> {
    const found: unknown[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const reply = await ask(cursor === "" ? query : `${query}&cursor=${cursor}`);
      expect(reply.status).toBe(200);
      found.push(...reply.body.items);
      cursor = reply.body.nextCursor;
    }
    return found;
  }

  test("that finds nothing reads everything in steps, and other requests are answered in between", async () => {
    const { query } = server.engine;
    const examined: number[] = [];
    server.engine.query = async (text, values, terms) => {
      const result = await query(text, values, terms);
      const count = result.rows[0]?.scanExamined;
      if (text.includes("template_search") && typeof count === "number") examined.push(count);
      return result;
    };
    const delay = monitorEventLoopDelay({ resolution: 10 });
    /** How many steps were done when each request of the other organization was answered. */
    const answeredAfter: number[] = [];
    try {
      delay.enable();
      let searching = true;
      const search = readToTheEnd("?q=a%20e%20o%20u%20quick%20lazy%20fox%20zzqqzz").finally(() => {
        searching = false;
      });
      while (searching) {
        expect((await ask("?limit=1", globex)).status).toBe(200);
        answeredAfter.push(examined.length);
      }
      expect(await search).toEqual([]);
    } finally {
      delay.disable();
      server.engine.query = query;
    }
    expect(examined.reduce((sum, count) => sum + count, 0)).toBe(total);
    expect(Math.max(...examined)).toBeLessThanOrEqual(scanStep);
    expect(answeredAfter.filter((steps) => steps > 0 && steps < examined.length)).not.toEqual([]);
    // A scan of everything in one statement takes seconds; a step some milliseconds on a machine that is not busy.
    expect(delay.max / 1e6).toBeLessThan(1_500);
  });

  test("with more than 8 words is refused", async () => {
    const words = Array.from({ length: 98 }, (_, i) =>
      String.fromCharCode(97 + (i % 26)).repeat(1 + (i % 2)),
    );
    const distinct = [...new Set(words)].join("%20");
    expect((await ask(`?q=${distinct}`)).status).toBe(400);
  });
});
