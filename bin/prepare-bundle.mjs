// Runs after `npm ci` and when the image is built, and writes the bundle that `bundle.mjs` describes. Without a bundle,
// the program runs from its source files and a start takes longer.
import { rmSync, writeFileSync } from "node:fs";
import { dirname, relative } from "node:path";
import { folder, listSources, root, sourceList } from "./bundle.mjs";

const bundler = await import("rolldown").catch(() => undefined);
if (!bundler) console.log("The program was not bundled, because the development tools are not installed.");
else
  await writeBundle(bundler).catch((error) => {
    rmSync(folder, { recursive: true, force: true });
    console.warn("The program was not bundled, so it starts more slowly:", error);
  });

async function writeBundle({ rolldown }) {
  rmSync(folder, { recursive: true, force: true });
  // A file that changes from here on is not in the bundle, or only in part.
  const { list, changedAt } = listSources();
  const bundle = await rolldown({
    // A server consists of the second and the third. `prepare-database.mjs` imports them to cache their compiled code.
    input: ["src/main.ts", "src/app.ts", "src/commands/serve-process.ts"],
    cwd: root,
    platform: "node",
    // Dependencies stay where npm installed them.
    external: (id) => !/^(\.|\/|@signalbox\/|@oxc-project\/runtime|\0)/.test(id),
    transform: { target: "node24" },
    plugins: [{ name: "keep-locations", transform: keepLocations }],
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

/** Modules find files and worker threads relative to themselves. In the bundle, that stays relative to their source. */
function keepLocations(code, id) {
  if (!code.includes("import.meta.")) return undefined;
  const source = relative(folder, id).replaceAll("\\", "/");
  const changed = code.replace(/\bimport\.meta\.(url|dirname)\b/g, (_, name) =>
    name === "url"
      ? `new URL(${JSON.stringify(source)}, import.meta.url).href`
      : `(import.meta.dirname + ${JSON.stringify(`/${dirname(source)}`)})`,
  );
  // This step needs no source map, because it moves no line.
  return { code: changed, map: null };
}
