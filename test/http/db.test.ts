/** The one way to the data behaves the same on both engines. */
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { beforeAll, describe, expect, inject, test } from "vitest";
import {
  ByteParts,
  defineLease,
  leaseConditions,
  type Sql,
  sql,
  violatedConstraint,
} from "../../src/platform/db/index.ts";
import { useServer } from "../harness.ts";

const server = useServer();
const count = async () =>
  (await server.platform.db.row<{ n: number }>(sql`select count(*)::int as n from things`))!.n;

beforeAll(async () => {
  await server.platform.db.queryWithDriverTypes(
    "create table things (id int primary key, big bigint, at timestamptz, list text[])",
  );
});

test.runIf(inject("engine") === "postgres")(
  "statements are not compiled, which takes longer than they do",
  async () => {
    const { db } = server.platform;
    for (const work of ["read", "change", "background"] as const)
      expect(await db.withOptions({ work }).row(sql`select current_setting('jit') as jit`)).toEqual({
        jit: "off",
      });
  },
);

describe("values", () => {
  test("times are milliseconds, large integers are numbers, lists are lists, and values are read back as written", async () => {
    const { db } = server.platform;
    const at = 1_700_000_000_123;
    await db.run(
      sql`insert into things values (1, ${2 ** 53 - 1}, ${new Date(at)}, ${["a", 'b"', "c,d", "{e}"]})`,
    );
    expect(await db.row(sql`select * from things where id = 1`)).toEqual({
      id: 1,
      big: 2 ** 53 - 1,
      at,
      list: ["a", 'b"', "c,d", "{e}"],
    });
    expect(await db.row(sql`select null::timestamptz as at, null::bigint as big`)).toEqual({
      at: null,
      big: null,
    });
    expect(await db.row(sql`select ${"'; drop table things; --"}::text as text`)).toEqual({
      text: "'; drop table things; --",
    });
    await db.run(sql`delete from things`);
  });

  test("bytes are read back as written, small or large, whole or in parts", async () => {
    const { db } = server.platform;
    const parts = [1, 5_000, 0, 300_000].map((size, i) => Buffer.alloc(size, i + 1));
    for (const bytes of parts) expect(await db.row(sql`select ${bytes}::bytea as bytes`)).toEqual({ bytes });
    expect(
      await db.row(
        sql`select ${"before"}::text as before, ${new ByteParts(parts)}::bytea as bytes, ${7}::int as after`,
      ),
    ).toEqual({ before: "before", bytes: Buffer.concat(parts), after: 7 });
    expect(await db.row(sql`select ${new ByteParts([])}::bytea as bytes`)).toEqual({
      bytes: Buffer.alloc(0),
    });
  });

  test("`run` returns the number of written rows, and `row` returns undefined for no row", async () => {
    const { db } = server.platform;
    expect(await db.run(sql`insert into things (id) values (1), (2), (3)`)).toBe(3);
    expect(await db.run(sql`update things set big = 1 where id > 1`)).toBe(2);
    expect(await db.run(sql`delete from things where id = 99`)).toBe(0);
    expect(await db.row(sql`select * from things where id = 99`)).toBeUndefined();
    expect(await db.run(sql`delete from things`)).toBe(3);
  });

  test("a refused row gives an error that names the constraint", async () => {
    const { db } = server.platform;
    await db.run(sql`insert into things (id) values (1)`);
    const error = await db.run(sql`insert into things (id) values (1)`).catch((cause: unknown) => cause);
    expect(violatedConstraint(error)).toBe("things_pkey");
    expect(violatedConstraint(new Error("other"))).toBeUndefined();
    await db.run(sql`delete from things`);
  });
});

describe("a transaction", () => {
  test("commits as a whole or not at all", async () => {
    const { db } = server.platform;
    await expect(
      db.transaction(async (tx) => {
        await tx.run(sql`insert into things (id) values (1)`);
        throw new Error("no");
      }),
    ).rejects.toThrow("no");
    expect(await count()).toBe(0);
    expect(await db.transaction(async (tx) => tx.run(sql`insert into things (id) values (1)`))).toBe(1);
    expect(await count()).toBe(1);
    await db.run(sql`delete from things`);
  });

  test("inside another one is part of the outer one", async () => {
    const { db } = server.platform;
    await expect(
      db.transaction(async (tx) => {
        await tx.transaction(async (inner) => {
          expect(inner.inTransaction).toBe(true);
          await inner.run(sql`insert into things (id) values (1)`);
        });
        throw new Error("no");
      }),
    ).rejects.toThrow("no");
    expect(await count()).toBe(0);
  });

  test("that continues after a failed statement fails as a whole", async () => {
    const { db } = server.platform;
    await expect(
      db.transaction(async (tx) => {
        await tx.run(sql`insert into things (id) values (1)`);
        await tx.run(sql`insert into things (id) values (1)`).catch(() => {});
      }),
    ).rejects.toThrow();
    expect(await count()).toBe(0);
    expect(await db.run(sql`select 1`)).toBeGreaterThanOrEqual(0);
  });

  test("runs its after-commit functions after a commit, and not after a rollback", async () => {
    const { db } = server.platform;
    const seen: string[] = [];
    await db.transaction(async (tx) => {
      tx.afterCommit(() => seen.push("committed"));
      await tx.transaction(async (inner) => inner.afterCommit(() => seen.push("inner")));
      expect(seen).toEqual([]);
    });
    await db
      .transaction(async (tx) => {
        tx.afterCommit(() => seen.push("rolled back"));
        throw new Error("no");
      })
      .catch(() => {});
    db.afterCommit(() => seen.push("outside"));
    expect(seen).toEqual(["committed", "inner", "outside"]);
  });

  test("completes when many run at once", async () => {
    const { db } = server.platform;
    await Promise.all(
      Array.from({ length: 30 }, (_, id) =>
        db.transaction(async (tx) => {
          await tx.run(sql`insert into things (id) values (${id})`);
          await pause(5);
          if (id % 3 === 0) throw new Error("no");
        }),
      ).map((one) => one.catch(() => {})),
    );
    expect(await count()).toBe(20);
    await db.run(sql`delete from things`);
  });
});

describe("the bus", () => {
  test("delivers committed messages once, and no message that was rolled back", async () => {
    const { db, bus } = server.platform;
    const heard: string[] = [];
    const stop = bus.subscribe("test", { onMessage: (payload) => heard.push(payload), onGap: () => {} });
    await bus.publish(db, "test", "plain text with spaces");
    await db.transaction((tx) => bus.publish(tx, "test", "committed"));
    await db
      .transaction(async (tx) => {
        await bus.publish(tx, "test", "rolled back");
        throw new Error("no");
      })
      .catch(() => {});
    await bus.publish(db, "another topic".replaceAll(" ", "-"), "not for us");
    await pause(200);
    expect(heard).toEqual(["plain text with spaces", "committed"]);
    stop();
    await bus.publish(db, "test", "after the end");
    await pause(50);
    expect(heard).toHaveLength(2);
  });
});

describe.skipIf(inject("engine") === "pglite" || process.platform !== "linux")("connections", () => {
  /** The kernel's timers of the connections from a port: which one runs, and the seconds until it ends. */
  const readTimer = (port: number) => {
    const local = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
    const lines = ["tcp", "tcp6"].flatMap((name) => readFileSync(`/proc/net/${name}`, "utf8").split("\n"));
    const found = lines.map((line) => line.trim().split(/\s+/)).find(([, from]) => from?.endsWith(local));
    const [kind, ticks = ""] = found?.[5]?.split(":") ?? [];
    return { isKeepAlive: kind === "02", seconds: Number.parseInt(ticks, 16) / 100 };
  };

  test("are probed while they are idle, so that a server that is gone without a word is noticed", async () => {
    const rows = await server.platform.db.rows<{ port: number; name: string }>(sql`
      select client_port as port, application_name as name from pg_stat_activity
      where datname = current_database() and state = 'idle' and client_port > 0`);
    expect(rows.map(({ name }) => name)).toContain("signalbox listen");
    // A connection that was just used may still have another timer.
    for (const { port } of rows) await expect.poll(() => readTimer(port).isKeepAlive).toBe(true);
    for (const { port } of rows) expect(readTimer(port).seconds).toBeLessThanOrEqual(10);
  });
});

describe("a lease", () => {
  const lease = defineLease(60);
  const read = async () =>
    (await server.platform.db.row<{
      mine: boolean | null;
      live: boolean | null;
      expired: boolean | null;
    }>(sql`
      select ${lease.isHeldBy("a")} as mine, ${lease.isLive} as live, ${lease.isExpired} as expired from leases`))!;
  const change = (set: Sql) => server.platform.db.run(sql`update leases set ${set}`);

  beforeAll(async () => {
    await server.platform.db.queryWithDriverTypes(
      "create table leases (holder text, lease_expires_at timestamptz)",
    );
    await server.platform.db.run(sql`insert into leases values (null, null)`);
  });

  test("is neither live nor expired before it is taken and after it is released", async () => {
    expect(await read()).toEqual({ mine: null, live: null, expired: null });
    await change(lease.take("a"));
    expect(await read()).toEqual({ mine: true, live: true, expired: false });
    await change(lease.release);
    expect(await read()).toEqual({ mine: null, live: null, expired: null });
  });

  test("belongs to the last who took it, and a renewal makes it live again", async () => {
    await change(lease.take("a"));
    await change(lease.take("b"));
    expect(await read()).toMatchObject({ mine: false, live: true });
    await change(sql`lease_expires_at = now() - interval '1 second'`);
    expect(await read()).toEqual({ mine: false, live: false, expired: true });
    await change(lease.renew);
    expect(await read()).toEqual({ mine: false, live: true, expired: false });
  });

  test("is expired and not live at the moment when it ends", async () => {
    const { isLive, isExpired } = leaseConditions(sql`l.`);
    expect(
      await server.platform.db.row(
        sql`select ${isLive} as live, ${isExpired} as expired from (select now() as lease_expires_at) l`,
      ),
    ).toEqual({ live: false, expired: true });
  });
});
