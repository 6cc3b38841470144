/**
 * Migrates a database that test files copy. `node test/template.ts <folder>` creates one of the embedded engine;
 * `node test/template.ts postgres://…` migrates one of a server.
 */
import { PGlite } from "@electric-sql/pglite";
import { jobs } from "../src/app.ts";
import { readConfig } from "../src/platform/config.ts";
import { openPglite, openPostgres } from "../src/platform/db/index.ts";
import { createLog } from "../src/platform/log.ts";
import { openPlatform } from "../src/platform/open.ts";
import { readCluster, shrinkCluster } from "./cluster.ts";

const target = process.argv[2]!;
const isServer = target.startsWith("postgres");
const engine = isServer
  ? await openPostgres(target, { onError: () => {} })
  : await openPglite(target, { loadDataDir: await readCluster() });
const config = readConfig({ SIGNALBOX_SECRET: "a secret for the tests, long enough" });
const options = { publicUrl: "http://localhost", jobs, works: false, log: createLog("silent") };
const opened = await openPlatform(config, { ...options, engine });
await opened.close(0);
if (!isServer) {
  const pg = await PGlite.create(target);
  await shrinkCluster(pg);
  await pg.close();
}
process.exit(0);
