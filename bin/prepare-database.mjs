// Runs after `npm ci` and when the image is built. Prepares the first start on the embedded database: the template of
// new databases, and the compiled code of everything that a server loads. Without them, a start only takes longer.
import { existsSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { folder } from "./bundle.mjs";

enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/signalbox", import.meta.url)));
try {
  if (existsSync(folder))
    for (const name of ["app", "serve-process"])
      await import(pathToFileURL(join(folder, `${name}.mjs`)).href);
  const { jobs } = await import("../src/app.ts");
  const { writeTemplate } = await import("../src/platform/db/index.ts");
  const { installQueue } = await import("../src/platform/jobs/index.ts");
  await writeTemplate((db) => installQueue(db, jobs));
} catch (error) {
  console.warn("The first start is not prepared and takes some seconds more:", error);
}
