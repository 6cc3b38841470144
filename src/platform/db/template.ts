import { createHash } from "node:crypto";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { createDb, type Db } from "./db.ts";
import { migrate, readMigrations } from "./migrate.ts";
import { openPglite } from "./pglite.ts";

const modules = join(import.meta.dirname, "../../../node_modules");

/** In `node_modules`, because only the owner of the program may write there. */
const defaultFolder = join(modules, ".cache/signalbox");

/** The name contains a hash of everything that the content depends on, so a template of another version is not found. */
function findFile(folder: string): string {
  const hash = createHash("sha256");
  for (const name of ["@electric-sql/pglite", "pg-boss"])
    hash.update(`${JSON.parse(readFileSync(join(modules, name, "package.json"), "utf8")).version}\n`);
  for (const { checksum } of readMigrations()) hash.update(checksum);
  return join(folder, `database-${hash.digest("hex").slice(0, 32)}.zst`);
}

/** A folder (without `size`) or a file of a database. The contents follow in the same order. */
interface Entry {
  path: string;
  size?: number;
}

/**
 * Writes the files of a new, migrated database. Creating and migrating one takes ten seconds of CPU time; copying the
 * template takes less than one. Returns false, and writes nothing, when the template is missing or damaged.
 */
export function copyTemplate(target: string, folder = defaultFolder): boolean {
  const archive = readArchive(folder);
  if (!archive) return false;
  let start = archive.indexOf("\n") + 1;
  mkdirSync(target, { mode: 0o700 });
  for (const { path, size } of JSON.parse(archive.toString("utf8", 0, start)) as Entry[]) {
    if (size === undefined) mkdirSync(join(target, path), { mode: 0o700 });
    else {
      writeFileSync(join(target, path), archive.subarray(start, start + size), { mode: 0o600 });
      start += size;
    }
  }
  return true;
}

function readArchive(folder: string): Buffer | undefined {
  try {
    // Verifies the checksum at the end of the archive.
    return zstdDecompressSync(readFileSync(findFile(folder)));
  } catch {
    return undefined;
  }
}

/**
 * Creates the template of this version and removes those of others. It holds no data of an instance and no secret.
 * `install` creates the tables that do not come from migrations.
 */
export async function writeTemplate(
  install: (db: Db) => Promise<void>,
  folder = defaultFolder,
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const work = mkdtempSync(join(folder, "unfinished-"));
  try {
    const data = join(work, "pg");
    const engine = await openPglite(data);
    const db = createDb(engine);
    await migrate(db);
    await install(db);
    await engine.close();
    writeFileSync(join(work, "archive"), archiveFolder(data));
    for (const name of readdirSync(folder)) if (name.startsWith("database-")) rmSync(join(folder, name));
    renameSync(join(work, "archive"), findFile(folder));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function archiveFolder(folder: string): Buffer {
  const contents: Buffer[] = [];
  const entries = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .sort()
    .map((path): Entry => {
      if (statSync(join(folder, path)).isDirectory()) return { path };
      const content = readFileSync(join(folder, path));
      contents.push(content);
      return { path, size: content.length };
    });
  const archive = Buffer.concat([Buffer.from(`${JSON.stringify(entries)}\n`), ...contents]);
  return zstdCompressSync(archive, { params: { [constants.ZSTD_c_checksumFlag]: 1 } });
}
