// Runs after `npm ci` and when the image is built, and writes the bundle that `bundle.mjs` describes. Without the
// development tools there is none, and a start takes longer.
import { rmSync, writeFileSync } from "node:fs";
import { dirname, relative } from "node:path";
import { folder, listSources, root, sourceList } from "./bundle.mjs";

const bundler = await import("rolldown").catch(() => undefined);
if (bundler) await writeBundle(bundler);
else console.log("The program was not bundled, because the development tools are not installed.");

async function writeBundle({ rolldown }) {
  rmSync(folder, { recursive: true, force: true });
  // A file that changes from now on makes the bundle out of date.
  const { list, changedAt } = listSources();
  const bundle = await rolldown({
    // Of the others a server consists. `prepare-database.mjs` loads them to have them compiled.
    input: ["src/main.ts", "src/app.ts", "src/commands/serve-process.ts"],
    cwd: root,
    platform: "node",
    // Dependencies stay where npm installed them.
    external: (id) => !/^(\.|\/|@signalbox\/|@oxc-project\/runtime|\0)/.test(id),
    transform: { target: "node24" },
    plugins: [{ name: "places", transform: keepPlaces }],
  });
  await bundle.write({
    dir: folder,
    format: "esm",
    sourcemap: true,
    hashCharacters: "hex",
    // With this ending Node need not find out what kind of module each file is.
    entryFileNames: "[name].mjs",
    chunkFileNames: "[name]-[hash].mjs",
  });
  await bundle.close();
  if (listSources().changedAt > changedAt) throw new Error("A source file changed meanwhile. Try again.");
  writeFileSync(sourceList, list);
}

/** Modules find files and worker threads by their own place, which is the place of their source. */
function keepPlaces(code, id) {
  if (!code.includes("import.meta.")) return undefined;
  const source = relative(folder, id).replaceAll("\\", "/");
  const placed = code.replace(/\bimport\.meta\.(url|dirname)\b/g, (_, name) =>
    name === "url"
      ? `new URL(${JSON.stringify(source)}, import.meta.url).href`
      : `(import.meta.dirname + ${JSON.stringify(`/${dirname(source)}`)})`,
  );
  // Without a map of its own: every line stays a line.
  return { code: placed, map: null };
}
