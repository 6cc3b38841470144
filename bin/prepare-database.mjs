// Runs after `npm ci` and when the image is built. Prepares the first start on the embedded database: the template of
// new databases, and the compiled code of everything that a server loads. Without them, a start only takes longer.
import { enableCompileCache } from "node:module";
import { fileURLToPath } from "node:url";

enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/signalbox", import.meta.url)));
try {
  const { jobs } = await import("../src/app.ts");
  await import("../src/commands/serve-process.ts");
  const { writeTemplate } = await import("../src/platform/db/index.ts");
  const { installQueue } = await import("../src/platform/jobs/index.ts");
  await writeTemplate((db) => installQueue(db, jobs));
} catch (error) {
  console.warn("The first start is not prepared and takes some seconds more:", error);
}
