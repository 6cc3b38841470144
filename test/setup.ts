import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import type { TestProject } from "vitest/node";
import { jobs } from "../src/app.ts";
import { readConfig } from "../src/platform/config.ts";
import { openPglite, openPostgres } from "../src/platform/db/index.ts";
import { createLog } from "../src/platform/log.ts";
import { openPlatform } from "../src/platform/open.ts";
import { readCluster, shrinkCluster } from "./cluster.ts";
import { makeDatabase } from "./postgres.ts";

declare module "vitest" {
  export interface ProvidedContext {
    engine: "pglite" | "postgres";
    pgliteTemplate: string;
    postgresTemplate: string;
  }
}

/** Migrates one database per engine; every test file then starts from a copy of it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const engine = project.name === "postgres" ? "postgres" : "pglite";
  project.provide("engine", engine);
  const config = readConfig({ SIGNALBOX_SECRET: "a secret for the tests, long enough" });
  const options = { publicUrl: "http://localhost", jobs, works: false, log: createLog("silent") };
  if (engine === "postgres") {
    const template = await makeDatabase("sbx_template");
    project.provide("postgresTemplate", template.name);
    project.provide("pgliteTemplate", "");
    const opened = await openPlatform(config, {
      ...options,
      engine: await openPostgres(template.url, { onError: () => {} }),
    });
    await opened.close(0);
    return () => template.drop();
  }
  const folder = mkdtempSync(join(tmpdir(), "signalbox-test-"));
  const pgliteDir = join(folder, "pg");
  const embedded = await openPglite(pgliteDir, { loadDataDir: await readCluster() });
  const opened = await openPlatform(config, { ...options, engine: embedded });
  await opened.close(0);
  const pg = await PGlite.create(pgliteDir);
  await shrinkCluster(pg);
  await pg.close();
  project.provide("pgliteTemplate", pgliteDir);
  project.provide("postgresTemplate", "");
  return async () => rmSync(folder, { recursive: true, force: true });
}
