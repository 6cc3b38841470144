import { createApp, jobs } from "../app.ts";
import type { Config } from "../platform/config.ts";
import { type Listening, listen } from "../platform/http/index.ts";
import { createLog } from "../platform/log.ts";
import { openPlatform } from "../platform/open.ts";

export type Role = "all" | "api" | "worker";

export interface Server {
  url: string;
  stop(): Promise<void>;
}

/** Finishing what is in flight may take this long; a supervisor's patience is usually 10 s. */
const graceMs = 8_000;

export async function serve(config: Config, role: Role): Promise<Server> {
  const log = createLog(config.logLevel);
  const socket = await listen(config.host, config.port);
  const shownHost = ["0.0.0.0", "::"].includes(config.host) ? "localhost" : config.host;
  const url = `http://${shownHost.includes(":") ? `[${shownHost}]` : shownHost}:${socket.port}`;
  const platform = await openPlatform(config, {
    publicUrl: config.publicUrl ?? url,
    jobs,
    works: role !== "api",
    log,
  });
  const app = createApp(platform, { role });
  const listening: Listening = socket.serve(app);
  if (role !== "api") await platform.jobs.work(platform, jobs);
  return {
    url: platform.config.publicUrl,
    async stop() {
      await listening.close(graceMs);
      await app.close();
      await platform.close(1_000);
    },
  };
}
