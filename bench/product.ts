import { createApp, jobs } from "../src/app.ts";
import { readConfig } from "../src/platform/config.ts";
import { listen } from "../src/platform/http/index.ts";
import { createLog } from "../src/platform/log.ts";
import { openPlatform } from "../src/platform/open.ts";
import { probes } from "./probes.ts";

// The product as `serve` runs it, with two routes more: the same nothing, with and without a caller. With `api` as
// `serve --role api` does: then what follows later is done by somebody else.
const works = process.argv[2] !== "api";
const config = readConfig(process.env);
const socket = await listen(config.host, config.port);
const url = `http://${config.host}:${socket.port}`;
const platform = await openPlatform(config, {
  publicUrl: url,
  jobs,
  works,
  log: createLog(config.logLevel),
});
const app = createApp(platform, { moreRoutes: probes });
const listening = socket.serve(app);
if (works) await platform.jobs.work(platform, jobs);
console.log(`ready at ${url}`);

process.once("SIGTERM", async () => {
  await listening.close(1_000);
  await app.close();
  await platform.close(1_000);
  process.exit(0);
});
