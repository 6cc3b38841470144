import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { type Engine, openPglite } from "../src/platform/db/index.ts";

const modules = join(import.meta.dirname, "../node_modules");

/**
 * An empty database cluster of the embedded engine, as an archive. Creating one takes several seconds of CPU time, and
 * the result depends on the version of the engine alone, so it is kept with the installed packages.
 */
export async function readCluster(): Promise<Blob> {
  const { version } = JSON.parse(readFileSync(join(modules, "@electric-sql/pglite/package.json"), "utf8"));
  const folder = join(modules, ".cache/signalbox-tests");
  const file = join(folder, `cluster-${version}.tar`);
  if (!existsSync(file)) {
    const pg = await PGlite.create();
    const archive = await dumpCluster(pg);
    await pg.close();
    mkdirSync(folder, { recursive: true });
    // Another process may be doing the same. Each writes its own file, and the last one to finish stays.
    const unfinished = `${file}.${process.pid}`;
    writeFileSync(unfinished, archive);
    renameSync(unfinished, file);
  }
  return new Blob([readFileSync(file)]);
}

/** The cluster as an archive, without the databases that only serve to create others: loading them takes time. */
export async function dumpCluster(pg: PGlite): Promise<Buffer> {
  await pg.exec("update pg_database set datistemplate = false");
  for (const name of ["template0", "template1"]) await pg.exec(`drop database if exists ${name}`);
  await pg.exec("checkpoint");
  return Buffer.from(await (await pg.dumpDataDir("none")).arrayBuffer());
}

/** An empty embedded database, in memory. */
export const openEmptyPglite = async (): Promise<Engine> =>
  openPglite(undefined, { loadDataDir: await readCluster() });

/** Creates the empty database of a data folder. */
export async function writeCluster(dataDir: string): Promise<void> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const pg = await PGlite.create({ dataDir: join(dataDir, "pg"), loadDataDir: await readCluster() });
  await pg.close();
}
