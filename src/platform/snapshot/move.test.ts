import { expect, test } from "vitest";
import { openEmptyPglite } from "../../../test/cluster.ts";
import { createDb, type Db, migrate, sql } from "../db/index.ts";
import { installQueue } from "../jobs/index.ts";
import { moveDatabase } from "./move.ts";

const addOrganization = (db: Db, id: string) =>
  db.run(sql`insert into organizations (id, name, slug) values (${id}, ${id}, ${id})`);
const listOrganizations = (db: Db) => db.rows<{ id: string }>(sql`select id from organizations`);

test("a target that is filled while the move waits for the source is not replaced", async () => {
  const engines = [await openEmptyPglite(), await openEmptyPglite()] as const;
  try {
    const [source, target] = [createDb(engines[0]), createDb(engines[1])];
    for (const db of [source, target]) {
      await installQueue(db, []);
      await migrate(db);
    }
    await addOrganization(source, "org_source");
    const move = (onStep: () => unknown) =>
      moveDatabase(source, target, {
        from: "the source",
        to: "the target",
        jobs: [],
        mayReplace: false,
        signal: new AbortController().signal,
        onStep,
      });
    await expect(move(() => void addOrganization(target, "org_other").catch(() => {}))).rejects.toThrow(
      "The database is not empty. Nothing was changed.",
    );
    expect(await listOrganizations(target)).toEqual([{ id: "org_other" }]);
    await target.run(sql`delete from organizations`);
    await move(() => {});
    expect(await listOrganizations(target)).toEqual([{ id: "org_source" }]);
  } finally {
    for (const engine of engines) await engine.close();
  }
}, 120_000);
