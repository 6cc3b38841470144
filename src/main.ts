import { serve } from "./commands/serve.ts";
import { ConfigError, readConfig } from "./platform/config.ts";

const config = readConfig(process.env);
const server = await serve(config, "all");
console.log(`Signalbox is ready at ${server.url}`);
void ConfigError;
for (const s of ["SIGINT", "SIGTERM"] as const)
  process.once(s, async () => {
    await server.stop();
    process.exit(0);
  });
