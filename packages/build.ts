/**
 * Compiles each package into its `dist/`: JavaScript, types, package.json, README and licence. Dependencies are copied
 * into the package, so that its tarball installs without a registry. With `--pack` the tarballs are written to `dist/`.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { parseArgs } from "node:util";

const { values: flags } = parseArgs({
  options: { pack: { type: "boolean", default: false }, out: { type: "string" } },
});
const root = join(import.meta.dirname, "..");

/** Each package after the packages that it imports. `isPublic`: it gets a tarball. */
const packages = [
  { folder: "flow-control", isPublic: false },
  { folder: "client", isPublic: true },
  { folder: "command-line", isPublic: false },
  { folder: "discovery", isPublic: true },
  { folder: "runner", isPublic: true },
];

interface Manifest {
  name: string;
  version: string;
  private?: boolean;
  bin?: Record<string, string>;
  exports: Record<string, string | { types: string; default: string }>;
  dependencies?: Record<string, string>;
}

const readManifest = (folder: string) =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;

for (const { folder, isPublic } of packages) {
  const source = join(import.meta.dirname, folder);
  const dist = join(source, "dist");
  rmSync(dist, { recursive: true, force: true });
  run(join(root, "node_modules/.bin/tsc"), ["-p", join(source, "tsconfig.json")]);
  const manifest = createManifest(readManifest(source));
  writeFileSync(join(dist, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  for (const file of Object.values(manifest.bin ?? {})) chmodSync(join(dist, file), 0o755);
  cpSync(join(root, "LICENSE"), join(dist, "LICENSE"));
  if (isPublic) cpSync(join(source, "README.md"), join(dist, "README.md"));
  copyDependencies(source, manifest, join(dist, "node_modules"));
  console.log(`${manifest.name} ${manifest.version} is in packages/${folder}/dist`);
}

if (flags.pack) {
  const target = flags.out ?? join(root, "dist");
  mkdirSync(target, { recursive: true });
  for (const { folder } of packages.filter(({ isPublic }) => isPublic)) {
    const dist = join(import.meta.dirname, folder, "dist");
    run("npm", ["pack", dist, "--pack-destination", target, "--silent"]);
  }
}

/** The package.json of the compiled package: JavaScript instead of TypeScript, and all dependencies bundled. */
function createManifest({ private: _, bin, exports, dependencies, ...rest }: Manifest): Manifest {
  return {
    ...rest,
    ...(bin ? { bin: mapValues(bin, toCompiled) } : {}),
    exports: mapValues(exports as Record<string, string>, (file) => {
      const compiled = toCompiled(file);
      return { types: compiled.replace(/\.js$/, ".d.ts"), default: compiled };
    }),
    ...(dependencies ? { dependencies, bundleDependencies: Object.keys(dependencies) } : {}),
  };
}

function toCompiled(file: string): string {
  return file.replace(/^\.\/src\/(.*)\.ts$/, "./lib/$1.js");
}

function mapValues<To>(object: Record<string, string>, map: (value: string) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)]));
}

/** Copies the dependencies of a package, and theirs. Packages of this repository are copied compiled. */
function copyDependencies(source: string, { dependencies = {} }: Manifest, target: string): void {
  for (const name of Object.keys(dependencies)) {
    const own = packages.find(({ folder }) => `@signalbox/${folder}` === name);
    const found = own ? join(import.meta.dirname, own.folder) : findInstalled(source, name);
    const from = own ? join(found, "dist") : found;
    cpSync(from, join(target, name), {
      recursive: true,
      filter: (file) => !file.slice(from.length).includes("node_modules"),
    });
    copyDependencies(found, readManifest(from), target);
  }
}

function findInstalled(source: string, name: string): string {
  const paths = createRequire(join(source, "package.json")).resolve.paths(name) ?? [];
  const found = paths.map((path) => join(path, name)).find((path) => existsSync(join(path, "package.json")));
  if (!found) throw new Error(`${name} is not installed. Run \`npm ci\`.`);
  return found;
}

function run(command: string, args: string[]): void {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: "inherit" });
  if (error || status !== 0) throw new Error(`${command} ${args.join(" ")} failed.`, { cause: error });
}
